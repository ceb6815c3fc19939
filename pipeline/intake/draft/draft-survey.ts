/** The role of a table whose rows are survey clusters. */

import type { Dialect, MonthOrder } from '../../catalog/dialect.ts';
import type { Source } from '../../catalog/sources.ts';
import { monthIndex } from '../../contract/months.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { normalizeTable } from '../../ingest/readers/dialect.ts';
import { daysIn, readMonth } from '../../ingest/readers/months.ts';
import { parseUrban } from '../../ingest/survey-rows.ts';
import { hasScoreAges } from '../../ingest/surveys.ts';
import { plainName } from '../../lib/name-similarity.ts';
import { columnAliases, columnsNamed, filledCells, likeliestColumn, matchColumns, testsIn } from '../columns.ts';
import { type DraftEntry, dialectWith, type TableDraft } from './draft-entry.ts';
import {
  type AreaLevel,
  findTimeColumn,
  monthSpan,
  type PlaceKey,
  placeColumnName,
  stateIn,
  type TimeKey,
} from './draft-keys.ts';
import type { SurveyParts } from './draft-survey-parts.ts';
import type { TableFile } from './recognise.ts';
import { findRounds, findYearColumn, yearIn } from './survey-rounds.ts';

/**
 * Survey clusters located by coordinates or code, with children examined and positive by one test or several; null
 * without such columns.
 * @param states the areas of the upper level
 * @param parts the other file of its survey, which has the places of its clusters
 */
export function draftSurvey(
  given: TableFile,
  place: PlaceKey | null,
  states: AreaLevel,
  parts: SurveyParts | null = null,
): TableDraft | null {
  const refused = (why: string): TableDraft => ({ entries: [], obstacles: [{ why, lost: 'survey results' }] });
  const coordinates = matchColumns(given.header, ['longitude', 'latitude']);
  const located = coordinates.longitude !== undefined && coordinates.latitude !== undefined;
  const tests = sideBySideTests(given, located, place);
  const table = tests ? { ...given, ...normalizeTable(given, { tests }, given.file) } : given;
  const { header } = table;
  const counts = countsIn(header, tests);
  const about = matchColumns(header, ['cluster_id', 'method']);
  // Another id is blank in clusters whose place is not known.
  if (parts) about.cluster_id = parts.cluster_id;
  const isComplete = counts.examined !== undefined && (counts.positive ?? counts.positivity) !== undefined;
  // Of tables by area of the upper level, only those with clusters: others are results of the area as a whole.
  const within = place?.kind === 'lga_pcode' || about.cluster_id ? place : null;
  // Health facilities' monthly records have tests and positives too, but not a method for each row.
  if (!(located && (isComplete || about.method)) && !(within && isComplete && about.method)) return null;
  if (counts.positive) delete counts.positivity;
  const year = findYearColumn(table);
  const usedColumns = { ...coordinates, ...counts, ...(year?.recode ? { survey_year: year.column } : {}) };
  const time = findTimeColumn(table, Object.values(usedColumns), shortestFirst);
  const noMonths = typeof time === 'string' ? time : time.monthly ? null : 'without the months of its clusters';
  const recognised = { ...about, ...counts, positive: counts.positive ?? counts.positivity };
  const missing = [
    ...(['examined', 'positive'] as const).filter((name) => !recognised[name]),
    // Months tell the rounds, too.
    ...(year || noMonths === null || yearIn(given.file) !== null ? [] : ['survey_year' as const]),
    ...(['cluster_id', 'method'] as const).filter((name) => !recognised[name]),
  ].map((name) => `a column of the ${MEANING[name]} (such as ${columnAliases(name)[0]})`);
  if (missing.length > 0)
    return refused(`a survey without ${missing.join(', ')}${noMonths === null ? '' : `, and ${noMonths}`}`);
  if (typeof time === 'string' || noMonths !== null) return refused(`a survey ${noMonths}`);
  const methods = methodsIn(filledCells(table, about.method!));
  if (typeof methods === 'string') return refused(methods);
  const { rounds, from, years, doubts } = findRounds(table, year, time.times);
  const rows = withYears(table, years);
  // Places with records of many months are no clusters.
  const samples = new Set(samplesIn(rows, [SURVEY_YEAR, about.cluster_id!, about.method!]));
  if (tests && samples.size <= rows.rows.length / 2) return null;
  if (rounds.length === 0) return refused('a survey whose years and months cannot be read');
  const isInteger = (column: string | undefined) =>
    !column ||
    !filledCells(table, column).some((cell) => Number.isFinite(Number(cell)) && !Number.isInteger(Number(cell)));
  const isPercent = counts.positivity && filledCells(table, counts.positivity).some((cell) => Number(cell) > 1);
  const places = located ? coordinates : { [placeColumnName(within!)]: within!.column };
  const urban = columnsNamed(header, 'urban').find((column) =>
    filledCells(table, column).every((cell) => parseUrban(cell) !== undefined),
  );
  const state = located || within!.kind !== 'state_pcode' ? stateIn(table, located ? null : within!, states) : {};
  const { dialect = {} } = dialectWith(table, time);
  const ofFile = { ...dialect, ...(tests ? { tests } : {}) };
  const entry: DraftEntry = {
    role: 'survey_clusters',
    unit: isPercent ? 'percent' : 'share',
    columns: {
      ...(year ? { survey_year: year.column } : {}),
      ...about,
      ...time.columns,
      ...places,
      ...counts,
      ...(urban ? { urban } : {}),
      ...state,
      ...matchColumns(header, ['youngest_years', 'oldest_years', 'weight']),
    },
    ...(year?.recode ? { recode: { survey_year: year.recode } } : {}),
    ...(Object.keys(ofFile).length > 0 ? { dialect: ofFile } : {}),
    methods,
    rounds,
    ...(isInteger(counts.examined) && isInteger(counts.positive) ? {} : { weighted_counts: true }),
    ...(located ? { displaced: true } : {}),
  };
  const note = [
    'Columns recognised by their names',
    ...(tests ? [`a row for each test (${Object.keys(tests).join(', ')})`] : []),
    ...(parts ? [`places of clusters from ${parts.places.file} by ${parts.by.join(' and ')}`] : []),
    ...(year?.recode ? [`survey years from the names in "${year.column}"`] : []),
    ...(from ? [`survey ${rounds.map(({ survey_year }) => survey_year).join(' and ')} by ${from}`] : []),
  ].join(', ');
  return {
    entries: [{ entry, note }],
    obstacles: [],
    rows,
    ...(parts ? { joins: parts.files } : {}),
    doubts: [...(year?.doubts ?? []), ...doubts, ...doubtOrder(table, time)],
  };
}

const MEANING = {
  examined: 'children examined',
  positive: 'children positive',
  survey_year: 'year',
  cluster_id: 'cluster',
  method: 'diagnostic method',
};

/** The table with its survey years in a column of the project's name for it. */
const withYears = ({ header, rows }: TextTable, years: readonly (number | null)[]): TextTable => ({
  header: [...header, SURVEY_YEAR],
  rows: rows.map(({ line, cells }, i) => ({ line, cells: [...cells, years[i] === null ? null : String(years[i])] })),
});
/** It cannot be the name of a column: headers have no tabs at their ends. */
const SURVEY_YEAR = '\tsurvey_year';

const samplesIn = ({ header, rows }: TextTable, columns: readonly string[]): string[] =>
  rows.map(({ cells }) => JSON.stringify(columns.map((column) => cells[header.indexOf(column)])));

/**
 * The columns of children examined and positive; those of tests, where they stand side by side, and no totals of these.
 */
function countsIn(header: readonly string[], tests: Dialect['tests'] | null) {
  const names = ['examined', 'positive', 'positivity'] as const;
  const [test] = Object.values(tests ?? {});
  return matchColumns(
    header,
    names.filter((name) => !test || test[name] !== undefined),
  );
}

/** Columns of tests that stand side by side in rows of clusters; null if they do not. */
function sideBySideTests(table: TableFile, located: boolean, place: PlaceKey | null): Dialect['tests'] | null {
  const { header, dialect } = table;
  const { cluster_id, method } = matchColumns(header, ['cluster_id', 'method']);
  // Ids alone may be those of facilities, whose records are cases of their areas.
  const isNamed = cluster_id !== undefined && !['id', 'siteid'].includes(plainName(cluster_id));
  const hasClusters = isNamed || (located && place?.kind !== 'lga_pcode');
  if (method || dialect.pivot || dialect.wide || !hasClusters || likeliestColumn(header, 'facility') !== null)
    return null;
  const tests = testsIn(header).filter(
    ({ positive, positivity }) => filledCells(table, (positive ?? positivity)!).length > 0,
  );
  if (tests.length === 0) return null;
  return Object.fromEntries(tests.map(({ method: name, ...columns }) => [name, columns]));
}

/**
 * Orders of day and month by how short the fieldwork would be, since it takes weeks; the day first if it is the same.
 * Where the first of the month stands for the month, that order comes before all.
 */
function shortestFirst(orders: readonly MonthOrder[], cells: readonly string[]): MonthOrder[] {
  const monthsBy = (order: MonthOrder) => {
    if ([...daysIn(cells, order)].every((day) => Number(day) === 1)) return -1;
    const { first, last } = monthSpan(cells.flatMap((cell) => readMonth(cell, order) ?? []));
    return monthIndex(last) - monthIndex(first);
  };
  return orders.toSorted((a, b) => monthsBy(a) - monthsBy(b) || (a < b ? -1 : 1));
}

/** A doubt about dates whose day and month cannot be told apart. */
function doubtOrder(table: TableFile, { columns, months, alternatives = [] }: TimeKey): string[] {
  if (alternatives.length === 0 || !('period' in columns)) return [];
  const cells = filledCells(table, columns.period);
  const spanBy = (order: MonthOrder) => {
    const { first, last } = monthSpan(cells.flatMap((cell) => readMonth(cell, order) ?? []));
    return first === last ? first : `${first} to ${last}`;
  };
  const rest = alternatives.map((order) => `as "${order}" it would be ${spanBy(order)}`).join(', ');
  return [
    `${table.file}: day and month of "${cells[0]}" in "${columns.period}" cannot be told apart; read as "${months}", fieldwork is ${spanBy(months!)}; ${rest}. If that is right, write it as "months" in the dialect (sources.json), and correct the rounds`,
  ];
}

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
  // Without its round, nothing would tell the survey year of a row.
  if (!survey_year) return entry;
  const cellIn = (cells: TextTable['rows'][number]['cells'], column: string | undefined) =>
    cells[table.header.indexOf(column ?? '')] || null;
  const monthsIn = (cell: string | null) => (cell === null ? null : 12 * Number(cell));
  const fitting = table.rows.filter(({ cells }) => {
    const [youngest_months, oldest_months] = [youngest_years, oldest_years].map((age) => monthsIn(cellIn(cells, age)));
    return hasScoreAges({ youngest_months: youngest_months!, oldest_months: oldest_months! }, ages);
  });
  const fittingCells = (column: string | undefined) => new Set(fitting.map(({ cells }) => cellIn(cells, column)));
  const [years, names] = [fittingCells(SURVEY_YEAR), fittingCells(method)];
  const [kept, dropped] = [true, false].map((wanted) =>
    rounds.filter((round) => years.has(String(round.survey_year)) === wanted),
  ) as [typeof rounds, typeof rounds];
  if (kept.length === 0 || dropped.length === 0) return entry;
  const reason = `all clusters are of other ages than ${ages.join(' to ')} months`;
  return {
    ...entry,
    rounds: kept,
    methods: Object.fromEntries(Object.entries(methods).filter(([, name]) => names.has(name))),
    leave_out: dropped.map((round) => ({ where: { survey_year: round.survey_year }, reason })),
  };
}
