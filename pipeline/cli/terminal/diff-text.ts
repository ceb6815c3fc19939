import type { Territory } from '../../contract/territory.ts';
import { wordsOf } from '../../contract/words.ts';
import type { SnapshotDiff } from '../../publish/snapshot/diff.ts';
import { describeColumns } from '../../publish/snapshot/table-diff.ts';
import { type Cells, formatTable } from './text-table.ts';

/** A diff as text for the terminal, in the country's own words if its territory is given. */
export function describeDiff(diff: SnapshotDiff, territory: Territory | undefined): string {
  const { all, thresholds, past_forecasts: past } = diff;
  const { state, lga } = wordsOf(territory);
  const tallies = [
    { of: 'all', ...all },
    ...diff.states.map(({ state_code, ...tally }) => ({ of: state_code, ...tally })),
    ...diff.periods
      .filter(({ moved, flipped }) => moved + flipped > 0)
      .map(({ period, ...rest }) => ({ of: period, ...rest })),
  ];
  const lacking = ([name, { lgas, periods }]: [string, SnapshotDiff['only_in_a']]) =>
    lgas.length + periods.length === 0
      ? []
      : [
          `Only in ${name}: ${lgas.length} ${lga.many}; months ${periods[0] ?? 'none'}${periods.length > 1 ? ` to ${periods.at(-1)}` : ''}`,
        ];
  return [
    `${diff.a} -> ${diff.b}: ${all.compared} scores of ${lga.many} compared`,
    ...[['A', diff.only_in_a] as const, ['B', diff.only_in_b] as const].flatMap(([name, only]) =>
      lacking([name, only]),
    ),
    '',
    `By ${state.one}, and by month where anything moved by more than ${thresholds?.score_change ?? 0} or changed its level:`,
    formatTable(tallies),
    ...(diff.levels_flipped.length > 0 ? ['', 'Levels:', formatTable(diff.levels_flipped)] : []),
    ...(diff.largest.length > 0
      ? [
          '',
          'Largest changes:',
          formatTable(
            diff.largest.map(({ lga_code, state_code, period, a, b, change }) => ({
              lga_code,
              state_code,
              period,
              was: a.score,
              is: b.score,
              change,
            })),
          ),
        ]
      : []),
    '',
    ...describeChanged(
      'answers',
      diff.answers,
      ({ changed, only_in_a, only_in_b }) => changed + only_in_a + only_in_b > 0,
    ),
    '',
    ...describeChanged(
      'tables',
      diff.tables.map((row) => ({
        table: row.table,
        rows: row.rows.b,
        changed: row.keyed?.changed ?? null,
        only_in_a: row.keyed?.only_in_a ?? null,
        only_in_b: row.keyed?.only_in_b ?? null,
        columns: describeColumns(row) || null,
      })),
      ({ changed, only_in_a, only_in_b, columns }) => changed !== 0 || !!only_in_a || !!only_in_b || columns !== null,
    ),
    ...(past
      ? [
          '',
          `A's forecasts of ${past.periods.join(', ')}, which B estimates (errors in the score's unit):`,
          formatTable(
            [...past.by_horizon, { horizon_months: 'all', ...past.all }].map((row) => ({
              months_ahead: row.horizon_months,
              forecasts: row.forecasts,
              error: fixed(row.mean_absolute_error.forecast),
              'last month carried forward': fixed(row.mean_absolute_error.persistence),
              'same month last year': fixed(row.mean_absolute_error.same_month_last_year),
              bias: fixed(row.bias),
              'inside the range': fixed(row.coverage),
            })),
          ),
        ]
      : []),
    ...(diff.unscored_periods.length > 0 ? ['', describeUnscored(diff.unscored_periods)] : []),
    ...(diff.over.length > 0 ? ['', ...diff.over.map((what) => `over: ${what}`)] : []),
  ].join('\n');
}

const describeUnscored = (periods: readonly string[]) =>
  `Not scored: A's forecasts of ${periods.join(', ')}. B estimates them, but without a survey of those months that A did not have; case records are not used to score forecasts.`;

/** The rows that changed, and how many others there are. */
function describeChanged<Row extends Cells>(
  what: string,
  rows: readonly Row[],
  isChange: (row: Row) => boolean,
): string[] {
  const changed = rows.filter(isChange);
  if (changed.length === 0) return [`All ${rows.length} ${what} are the same.`];
  const others = rows.length - changed.length;
  return [`Changed ${what}${others > 0 ? ` (${others} others are the same)` : ''}:`, formatTable(changed)];
}

const fixed = (value: number | null) => (value === null ? null : value.toFixed(4));
