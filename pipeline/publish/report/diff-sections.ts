import type { BoundariesLgas, BoundariesStates } from '../../contract/schemas.ts';
import type { Territory } from '../../contract/territory.ts';
import { countryWords, type Words } from '../../contract/words.ts';
import { type Block, type Cell, type Section, tableBlock } from '../../lib/pages/blocks.ts';
import type { Column } from '../../lib/pages/table.ts';
import type { SnapshotDiff, Tally } from '../snapshot/diff.ts';
import type { Snapshot } from '../snapshot/open-snapshot.ts';
import type { PastForecasts } from '../snapshot/past-forecasts.ts';
import { describeTableChange } from '../snapshot/table-diff.ts';
import { joinInSentence } from './shared/names.ts';

/** Outlines and names of the new version, from its boundary answers. */
export interface DiffOutlines {
  territory: Territory;
  states: BoundariesStates['features'];
  lgas: BoundariesLgas['features'];
}

export const diffOutlines = ({ manifest, answer }: Snapshot): DiffOutlines => ({
  territory: manifest.territory,
  states: answer<BoundariesStates>('boundaries-states', {}).features,
  lgas: manifest.coverage.states.flatMap((state) => answer<BoundariesLgas>('boundaries-lgas', { state }).features),
});

/** `Dala, Kano`; codes for areas that are gone. */
export function makeNameLookup({ states, lgas }: DiffOutlines) {
  const stateNames = new Map<string, string>(states.map(({ properties }) => [properties.code, properties.name]));
  const lgaNames = new Map<string, string>(lgas.map(({ properties }) => [properties.lgaCode, properties.lga]));
  const state = (code: string) => stateNames.get(code) ?? code;
  return {
    state,
    lga: (row: { lga_code: string; state_code: string }) =>
      `${lgaNames.get(row.lga_code) ?? row.lga_code}, ${state(row.state_code)}`,
  };
}

const TALLY_COLUMNS: Column<Tally, Cell>[] = [
  { title: 'Compared', cell: ({ compared }) => compared },
  { title: 'Moved', cell: ({ moved }) => moved },
  { title: 'Level changed', cell: ({ flipped }) => flipped },
  { title: 'Ranges apart', cell: ({ disjoint }) => disjoint },
  { title: 'Mean change', decimals: 4, cell: ({ mean_change }) => mean_change },
  { title: 'Largest change', decimals: 4, cell: ({ largest_change }) => largest_change },
];

/** What a new version changes, in a few lines. */
export function headlineSection({ latest, states }: SnapshotDiff, outlines: DiffOutlines): Section {
  const { lga, state } = countryWords(outlines.territory);
  const signed = (change: number) => `${change > 0 ? '+' : ''}${change.toFixed(4)}`;
  const largest = states
    .filter(({ mean_change }) => Number(mean_change.toFixed(4)) !== 0)
    .toSorted((a, b) => Math.abs(b.mean_change) - Math.abs(a.mean_change))
    .slice(0, 5)
    .map(({ state_code, mean_change }) => `${makeNameLookup(outlines).state(state_code)} ${signed(mean_change)}`);
  return {
    title: 'In short',
    blocks:
      latest === null
        ? []
        : [
            `${latest.period}, the latest month that both estimate: the nation’s score is ${latest.nation.b.toFixed(4)}, ` +
              `was ${latest.nation.a.toFixed(4)}; ${latest.levels_changed} of ${latest.lgas} ${lga.many} change their level.`,
            largest.length > 0 &&
              `The ${state.many} that change most, as means over all months: ${largest.join(', ')}.`,
          ],
  };
}

/** What a new version changes: answers and tables, scores by place and month, levels, the old forecasts' skill. */
export const diffSections = (diff: SnapshotDiff, outlines: DiffOutlines): Section[] => [
  { title: 'Thresholds exceeded', blocks: [{ items: diff.over, isAlert: true }] },
  headlineSection(diff, outlines),
  ...changeSections(diff, outlines),
];

/** The figures that are affected, then the places whose scores moved. */
export function changeSections(diff: SnapshotDiff, outlines: DiffOutlines): Section[] {
  const words = countryWords(outlines.territory);
  return [
    {
      title: 'Answers',
      blocks: changedBlocks(
        'answers',
        diff.answers,
        ({ changed, only_in_a, only_in_b }) => changed + only_in_a + only_in_b > 0,
        [
          { title: 'Operation', cell: ({ operation }) => operation },
          { title: 'Same bytes', cell: ({ same }) => same },
          { title: 'Changed', cell: ({ changed }) => changed },
          { title: 'Only old', cell: ({ only_in_a }) => only_in_a },
          { title: 'Only new', cell: ({ only_in_b }) => only_in_b },
        ],
      ),
    },
    {
      title: 'Tables',
      blocks: changedBlocks(
        'tables',
        diff.tables,
        (row) =>
          row.keyed === null || Object.values(row.keyed).some((count) => count > 0) || describeTableChange(row) !== '',
        [
          { title: 'Table', cell: ({ table }) => table },
          { title: 'Rows', cell: ({ rows }) => rows.b },
          { title: 'Changed', cell: ({ keyed }) => keyed?.changed },
          { title: 'Only old', cell: ({ keyed }) => keyed?.only_in_a },
          { title: 'Only new', cell: ({ keyed }) => keyed?.only_in_b },
          { title: 'Changed columns, with number of rows and largest change', cell: describeTableChange },
        ],
      ),
    },
    { title: 'Size of the changes', blocks: sizeBlocks(diff, makeNameLookup(outlines), words) },
    { title: 'Skill of the old forecasts of cases', blocks: skillBlocks(diff.past_forecasts) },
  ];
}

const isMoved = ({ moved, flipped }: Tally) => moved + flipped > 0;

function sizeBlocks(
  diff: SnapshotDiff,
  nameLookup: ReturnType<typeof makeNameLookup>,
  words: Words,
): Section['blocks'] {
  const { all, state_scores, states, periods, levels_flipped, largest, thresholds } = diff;
  const { state, lga, Lga } = words;
  return [
    `\`${diff.a}\` to \`${diff.b}\`: ${all.compared} scores of ${lga.many} and months compared. Changes are new ` +
      `minus old. A score has moved if it changed by more than ${thresholds.score_change}; ranges are apart if the ` +
      'old and the new one do not overlap.',
    tableBlock<Tally & { area: string }>(
      `By area, of the ${state.many} those where a score moved or changed its level`,
      [{ title: 'Area', cell: ({ area }) => area }, ...TALLY_COLUMNS],
      [
        { area: `all ${lga.many}`, ...all },
        { area: `${state.many}’ own scores`, ...state_scores },
        ...states.filter(isMoved).map((row) => ({ ...row, area: nameLookup.state(row.state_code) })),
      ],
    ),
    tableBlock(
      'By month, where a score moved or changed its level',
      [{ title: 'Month', cell: ({ period }) => period }, ...TALLY_COLUMNS],
      periods.filter(isMoved),
    ),
    tableBlock(
      'Levels',
      [
        { title: 'Was', cell: ({ from }) => from.replace('_', ' ') },
        { title: 'Is', cell: ({ to }) => to.replace('_', ' ') },
        { title: `${Lga.one}-months`, cell: ({ count }) => count },
      ],
      levels_flipped,
    ),
    tableBlock(
      `Largest changes: for each ${lga.one}, the month with the largest change`,
      [
        { title: Lga.one, cell: nameLookup.lga },
        { title: 'Code', cell: ({ lga_code }) => lga_code },
        { title: 'Month', cell: ({ period }) => period },
        { title: 'Was', variant: 'number', cell: ({ a }) => formatWithRange(a) },
        { title: 'Is', variant: 'number', cell: ({ b }) => formatWithRange(b) },
      ],
      largest,
    ),
    describeOnlyIn('old', diff.only_in_a, words),
    describeOnlyIn('new', diff.only_in_b, words),
  ];
}

function skillBlocks(skill: PastForecasts | null): Section['blocks'] {
  if (skill === null) return ['No month that the old version forecast has records of cases in the new one.'];
  return [
    tableBlock(
      `Forecasts for ${skill.periods.join(', ')} against the records: all, then the areas that were forecast worst`,
      [
        { title: 'Area', cell: ({ area, code }) => `${area} ${code}` },
        { title: 'Forecasts', cell: ({ forecasts }) => forecasts },
        { title: 'Inside the 90% range', decimals: 2, cell: ({ coverage }) => coverage },
        { title: 'Bias', decimals: 2, cell: ({ bias }) => bias },
        { title: 'Error of ln cases', decimals: 3, cell: ({ log_error }) => log_error },
        { title: 'Of the usual month', decimals: 3, cell: ({ log_error_usual }) => log_error_usual },
      ],
      [{ area: 'all', code: '', ...skill.all }, ...skill.worst],
    ),
  ];
}

/** The rows that changed, and how many others there are. */
function changedBlocks<Row>(
  noun: string,
  rows: readonly Row[],
  isChange: (row: Row) => boolean,
  columns: readonly Column<NoInfer<Row>, Cell>[],
): Block[] {
  const changed = rows.filter(isChange);
  if (changed.length === 0) return [`All ${rows.length} ${noun} are the same.`];
  const unchanged = rows.length - changed.length;
  return [tableBlock(`Changed ${noun}${unchanged > 0 ? ` (${unchanged} others are the same)` : ''}`, columns, changed)];
}

/** Areas and months that are only in one of the two versions. */
function describeOnlyIn(version: string, { lgas, periods }: SnapshotDiff['only_in_a'], { lga }: Words): string | false {
  if (lgas.length + periods.length === 0) return false;
  const months = periods.length > 1 ? `${periods[0]} to ${periods.at(-1)}` : periods[0];
  const areas = `${lgas.length} ${lga.many} (${lgas.slice(0, 5).join(', ')}${lgas.length > 5 ? ' …' : ''})`;
  return (
    `Only in the ${version} version: ` +
    `${joinInSentence([...(lgas.length > 0 ? [areas] : []), ...(months ? [`months ${months}`] : [])])}.`
  );
}

const formatWithRange = ({ score, score_low, score_high }: { score: number; score_low: number; score_high: number }) =>
  `${score.toFixed(4)} (${score_low.toFixed(4)}–${score_high.toFixed(4)})`;
