import { Command } from 'commander';
import type { BoundariesLgas, BoundariesStates } from '../contract/schemas.ts';
import { writeWhole } from '../engine/cache.ts';
import type { DiffOutlines } from '../publish/report/diff-maps.ts';
import { diffSnapshots, type SnapshotDiff } from '../publish/snapshot/diff.ts';
import { openSnapshot, type Snapshot } from '../publish/snapshot/read.ts';
import { say } from './options.ts';
import { formatTable } from './table.ts';

const DETAIL = `
Scores are compared LGA by LGA, for the months that both snapshots estimate and those that both forecast. A score has
moved when it changed by more than parameters.diff.score_change of B's model.json; the other thresholds there say what
--gate lets pass. Where B estimates months that A forecast, A's forecasts are scored against those of them that B has a
survey or case records of that A had not: other months are the model's own carrying-on in both.

Exits 0, or 1 with --gate where a threshold is passed, 2 where there is nothing to compare.

Examples:
  malaria-risk diff build/snapshots/nigeria-2026.1-64213e44 build/current
  malaria-risk diff OLD NEW --gate --out diff.json --html diff.html`;

/** `malaria-risk diff`. */
export function diffCommand(): Command {
  return new Command('diff')
    .description(
      'Say what a new snapshot does to an old one: scores moved, levels flipped, how good the forecasts were',
    )
    .argument('<a>', 'directory of the old snapshot')
    .argument('<b>', 'directory of the new one')
    .option('--gate', 'exit 1 where more changed than the thresholds allow')
    .option('--json', 'all of it as JSON, by state and month')
    .option('--out <file>', 'write the JSON to a file too')
    .option('--html <file>', 'write a page with a map of the changes')
    .addHelpText('after', DETAIL)
    .action(async (a: string, b: string, options: { gate?: boolean; json?: boolean; out?: string; html?: string }) => {
      const [before, after] = [openSnapshot(a), openSnapshot(b)];
      const diff = await diffSnapshots(before, after);
      if (options.gate && !diff.thresholds)
        throw new Error(`${b}: found no parameters.diff in its model-card.json, expected thresholds to gate by`);
      const json = JSON.stringify(diff, null, 2);
      if (options.out !== undefined) writeWhole(options.out, `${json}\n`);
      if (options.html !== undefined) {
        const { renderDiffPage } = await import('../publish/report/diff-page.ts');
        writeWhole(options.html, renderDiffPage(diff, outlinesOf(after)));
      }
      say(options.json ? json : describe(diff));
      if (options.gate && diff.over.length > 0) process.exitCode = 1;
    });
}

const outlinesOf = ({ manifest, answer }: Snapshot): DiffOutlines => ({
  states: answer<BoundariesStates>('boundaries-states', {}).features,
  lgas: manifest.coverage.states.flatMap((state) => answer<BoundariesLgas>('boundaries-lgas', { state }).features),
});

function describe(diff: SnapshotDiff): string {
  const { all, thresholds, past_forecasts: past } = diff;
  const tallies = [
    { of: 'all', ...all },
    ...diff.states.map(({ state_code, ...tally }) => ({ of: state_code, ...tally })),
    ...diff.periods
      .filter(({ moved, flipped }) => moved + flipped > 0)
      .map(({ period, ...t }) => ({ of: period, ...t })),
  ];
  const lacking = ([name, { lgas, periods }]: [string, SnapshotDiff['only_in_a']]) =>
    lgas.length + periods.length === 0
      ? []
      : [
          `Only in ${name}: ${lgas.length} LGAs; months ${periods[0] ?? 'none'}${periods.length > 1 ? ` to ${periods.at(-1)}` : ''}`,
        ];
  return [
    `${diff.a} -> ${diff.b}: ${all.compared} scores of LGAs compared`,
    ...[['A', diff.only_in_a] as const, ['B', diff.only_in_b] as const].flatMap(([name, only]) =>
      lacking([name, only]),
    ),
    '',
    `By state, and by month where anything moved by more than ${thresholds?.score_change ?? 0} or changed its level:`,
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
    'Answers:',
    formatTable(diff.answers),
    ...(past
      ? [
          '',
          `A's forecasts of ${past.periods.join(', ')}, which B estimates (errors in the score's unit):`,
          formatTable(
            [...past.by_horizon, { horizon_months: 'all', ...past.all }].map((row) => ({
              months_ahead: row.horizon_months,
              forecasts: row.forecasts,
              error: fixed(row.mean_absolute_error.forecast),
              'last month carried on': fixed(row.mean_absolute_error.persistence),
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
  `Not scored: A's forecasts of ${periods.join(', ')}. B estimates them, without a survey or case records of those months that A had not.`;

const fixed = (value: number | null) => (value === null ? null : value.toFixed(4));
