/** The role of a table whose rows are survey clusters. */

import type { Source } from '../../catalog/sources.ts';
import { isPeriod } from '../../contract/months.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { isOfAges } from '../../ingest/surveys.ts';
import { aliasesOf, cellsOf, columnsOf } from '../columns.ts';
import { type DraftEntry, dialectWith, type TableDraft } from './draft-entry.ts';
import { type PlaceKey, placeColumnOf, spanOf, timeOf } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

/** Survey clusters located by coordinates or code, with children examined and positive; null without such columns. */
export function draftSurvey(table: TableFile, place: PlaceKey | null): TableDraft | null {
  const { header } = table;
  const refused = (why: string): TableDraft => ({ entries: [], obstacles: [{ why, lost: 'survey results' }] });
  const coordinates = columnsOf(header, ['longitude', 'latitude']);
  const located = coordinates.longitude !== undefined && coordinates.latitude !== undefined;
  const counts = columnsOf(header, ['examined', 'positive', 'positivity']);
  const about = columnsOf(header, ['survey_year', 'cluster_id', 'method']);
  const isComplete = counts.examined !== undefined && (counts.positive ?? counts.positivity) !== undefined;
  // Of tables by area of the upper level, only those with clusters: others are results of the area as a whole.
  const within = place?.is === 'lga_pcode' || about.cluster_id ? place : null;
  // Health facilities' monthly records have tests and positives too, but not a method for each row.
  if (!(located && (isComplete || about.method)) && !(within && isComplete && about.method)) return null;
  if (counts.positive) delete counts.positivity;
  const found = { ...about, ...counts, positive: counts.positive ?? counts.positivity };
  const missing = (['examined', 'positive', 'survey_year', 'cluster_id', 'method'] as const)
    .filter((name) => !found[name])
    .map((name) => `a column of the ${MEANING[name]} (such as ${aliasesOf(name)[0]})`);
  const time = timeOf(table, Object.values({ ...coordinates, ...counts }));
  const noMonths = typeof time === 'string' ? time : time.monthly ? null : 'without the months of its clusters';
  if (missing.length > 0)
    return refused(`a survey without ${missing.join(', ')}${noMonths === null ? '' : `, and ${noMonths}`}`);
  if (typeof time === 'string' || noMonths !== null) return refused(`a survey ${noMonths}`);
  const methods = methodsIn(cellsOf(table, about.method!));
  if (typeof methods === 'string') return refused(methods);
  const rounds = roundsOf(table, about.survey_year!, time.times);
  if (rounds.length === 0) return refused('a survey whose years and months cannot be read');
  const isInteger = (column: string | undefined) =>
    !column || cellsOf(table, column).every((cell) => Number.isInteger(Number(cell)));
  const places = located ? coordinates : { [placeColumnOf(within!)]: within!.column };
  const entry: DraftEntry = {
    role: 'survey_clusters',
    unit: 'share',
    columns: {
      ...about,
      ...time.columns,
      ...places,
      ...counts,
      ...columnsOf(header, ['urban', 'youngest_years', 'oldest_years', 'weight']),
    },
    ...dialectWith(table, time),
    methods,
    rounds,
    ...(isInteger(counts.examined) && isInteger(counts.positive) ? {} : { weighted_counts: true }),
    ...(located ? { displaced: true } : {}),
  };
  return { entries: [{ entry, note: 'Columns recognised by their names' }], obstacles: [] };
}

const MEANING = {
  examined: 'children examined',
  positive: 'children positive',
  survey_year: 'year',
  cluster_id: 'cluster',
  method: 'diagnostic method',
};

function methodsIn(cells: readonly string[]): NonNullable<Source['methods']> | string {
  const methods: { microscopy?: string; rdt?: string } = {};
  for (const cell of new Set(cells)) {
    const name = /micro|smear|slide|goutte|^bs$/i.test(cell)
      ? 'microscopy'
      : /rdt|tdr|rapid/i.test(cell)
        ? 'rdt'
        : null;
    if (!name) return `a survey with the method "${cell}": only microscopy and rapid tests are supported`;
    if (methods[name] !== undefined) return `a survey with two names for one method: "${methods[name]}" and "${cell}"`;
    methods[name] = cell;
  }
  return methods;
}

/**
 * Leaves out the rounds of a survey whose clusters are all of other ages than the score's, with their methods: they
 * would say nothing, and a build refuses a round without clusters.
 * @param ages of the score, months
 */
export function withoutOtherAges(entry: DraftEntry, table: TextTable, ages: readonly [number, number]): DraftEntry {
  const { columns = {}, rounds = [], methods = {} } = entry;
  const { survey_year, youngest_years, oldest_years, method } = columns;
  const cellOf = (cells: TextTable['rows'][number]['cells'], column: string | undefined) =>
    cells[table.header.indexOf(column ?? '')] || null;
  const monthsIn = (cell: string | null) => (cell === null ? null : 12 * Number(cell));
  const fitting = table.rows.filter(({ cells }) => {
    const [youngest_months, oldest_months] = [youngest_years, oldest_years].map((age) => monthsIn(cellOf(cells, age)));
    return isOfAges({ youngest_months: youngest_months!, oldest_months: oldest_months! }, ages);
  });
  const found = (column: string | undefined) => new Set(fitting.map(({ cells }) => cellOf(cells, column)));
  const [years, names] = [found(survey_year), found(method)];
  const [kept, others] = [true, false].map((wanted) =>
    rounds.filter((round) => years.has(String(round.survey_year)) === wanted),
  ) as [typeof rounds, typeof rounds];
  if (kept.length === 0 || others.length === 0) return entry;
  const reason = `all clusters are of other ages than ${ages.join(' to ')} months`;
  return {
    ...entry,
    rounds: kept,
    methods: Object.fromEntries(Object.entries(methods).filter(([, name]) => names.has(name))),
    leave_out: others.map((round) => ({ where: { survey_year: round.survey_year }, reason })),
  };
}

/** The survey years with the first and last month of their rows. */
function roundsOf({ header, rows }: TableFile, column: string, times: readonly string[]) {
  const at = header.indexOf(column);
  const months = times.flatMap((period, row) => {
    const survey_year = Number(rows[row]!.cells[at]);
    return isPeriod(period) && Number.isInteger(survey_year) ? [{ survey_year, period }] : [];
  });
  return [...Map.groupBy(months, ({ survey_year }) => survey_year)]
    .sort(([a], [b]) => a - b)
    .map(([survey_year, own]) => ({ survey_year, ...spanOf(own.map(({ period }) => period)) }));
}
