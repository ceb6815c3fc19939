/** The role of a table whose rows are survey clusters. */

import path from 'node:path';
import type { Dialect, MonthOrder } from '../../catalog/dialect.ts';
import { METHODS } from '../../catalog/shared-schemas.ts';
import type { Source } from '../../catalog/sources.ts';
import { monthIndex } from '../../contract/months.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { normalizeTable } from '../../ingest/readers/dialect.ts';
import { daysIn, readMonth } from '../../ingest/readers/months.ts';
import { findPositivesUnit, parseUrban } from '../../ingest/survey-rows.ts';
import { hasScoreAges } from '../../ingest/surveys.ts';
import { plainName } from '../../lib/name-similarity.ts';
import {
  candidateColumns,
  cellsByRow,
  columnAliases,
  filledCells,
  likeliestColumn,
  likeliestColumns,
  testColumnsIn,
  testsNamed,
} from '../columns.ts';
import { type DraftEntry, fileDialect, type TableDraft } from './draft-entry.ts';
import {
  type AreaLevel,
  findStateColumn,
  findTimeColumn,
  monthSpan,
  type PlaceKey,
  placeColumnName,
  type TimeKey,
} from './draft-keys.ts';
import type { SurveyParts } from './draft-survey-parts.ts';
import { type Answers, fieldworkQuestion, methodQuestion, monthsInAnswer, type Question } from './questions.ts';
import type { TableFile } from './recognise.ts';
import { findRounds, findYearColumn, onlyYearIn, type YearColumn } from './survey-rounds.ts';

/**
 * Survey clusters located by coordinates or code, with children examined and positive by one test or several; null
 * without such columns.
 * @param states the areas of the upper level
 * @param parts the other file of its survey, which has the places of its clusters
 * @param answers about the method of a survey whose columns do not tell it
 */
export function draftSurvey(
  file: TableFile,
  place: PlaceKey | null,
  states: AreaLevel,
  parts: SurveyParts | null = null,
  answers: Answers = {},
): TableDraft | null {
  const question = methodQuestion(file.file);
  const monthsQuestion = fieldworkQuestion(file.file);
  const questions: Question[] = [];
  const refuse = (why: string): TableDraft => ({
    entries: [],
    obstacles: [{ why, lost: 'survey results' }],
    questions,
  });
  const coordinates = likeliestColumns(file.header, ['longitude', 'latitude']);
  const isLocated = coordinates.longitude !== undefined && coordinates.latitude !== undefined;
  const tests = sideBySideTests(file, isLocated, place);
  const table = tests ? { ...file, ...normalizeTable(file, { tests }, file.file) } : file;
  const { header } = table;
  const counts = countColumns(header, tests);
  const keyColumns = likeliestColumns(header, ['cluster_id', 'method']);
  // Other ids may be blank in clusters without a location.
  if (parts) keyColumns.cluster_id = parts.cluster_id;
  const isComplete = counts.examined !== undefined && (counts.positive ?? counts.positivity) !== undefined;
  // Of tables by area of the upper level, only those with clusters: others are results of the area as a whole.
  const clusterPlace = place?.kind === 'lga_pcode' || keyColumns.cluster_id ? place : null;
  // Health facilities' monthly records have tests and positives too, but not a method for each row.
  if (!(isLocated && (isComplete || keyColumns.method)) && !(clusterPlace && isComplete && keyColumns.method))
    return null;
  if (counts.positive) delete counts.positivity;
  const year = findYearColumn(table);
  const usedColumns = { ...coordinates, ...counts, ...(year?.recode ? { survey_year: year.column } : {}) };
  const time = findTimeColumn(table, Object.values(usedColumns), shortestFirst);
  const timeKey = typeof time !== 'string' && time.isMonthly ? time : null;
  const fieldwork = timeKey ? null : matchFieldwork(table, year, monthsInAnswer(answers[monthsQuestion.id] ?? ''));
  if (!timeKey) questions.push(monthsQuestion);
  const monthsObstacle =
    timeKey || fieldwork
      ? null
      : `without the months of its clusters; else answer "${monthsQuestion.id}" with those of fieldwork`;
  const recognised = { ...keyColumns, ...counts, positive: counts.positive ?? counts.positivity };
  const methodNames = testsNamed(`${recognised.positive} ${path.basename(file.file)}`);
  if (!keyColumns.method && methodNames.length !== 1) questions.push(question);
  const method = METHODS.find((one) => one === (methodNames.length === 1 ? methodNames[0] : answers[question.id]));
  const missing = [
    ...(['examined', 'positive'] as const).filter((name) => !recognised[name]),
    // Months tell the rounds, too.
    ...(year || monthsObstacle === null || onlyYearIn(file.file) !== null ? [] : ['survey_year' as const]),
    ...(recognised.cluster_id ? [] : ['cluster_id' as const]),
    ...(recognised.method || method ? [] : ['method' as const]),
  ].map((name) => {
    const answer = name === 'method' ? `; else answer "${question.id}" with ${METHODS.join(' or ')}` : '';
    return `a column of the ${COLUMN_MEANINGS[name]} (such as ${columnAliases(name)[0]}${answer})`;
  });
  if (missing.length > 0)
    return refuse(`a survey without ${missing.join(', ')}${monthsObstacle === null ? '' : `, and ${monthsObstacle}`}`);
  if (monthsObstacle !== null) return refuse(`a survey ${monthsObstacle}`);
  const methods = keyColumns.method ? parseMethods(filledCells(table, keyColumns.method)) : { [method!]: method! };
  if (typeof methods === 'string') return refuse(methods);
  const roundsByTime = findRounds(table, year, timeKey?.times ?? fieldwork!.map(({ first }) => first));
  const { basis, years, doubts } = roundsByTime;
  const rounds = roundsByTime.rounds.map((round) => ({
    ...round,
    ...fieldwork?.find(({ first }) => first === round.first),
  }));
  const rows = withSurveyYears(table, years);
  // Places with records of many months are not clusters.
  const sampleColumns = [SURVEY_YEAR, keyColumns.cluster_id!, ...(keyColumns.method ? [keyColumns.method] : [])];
  const distinctSamples = new Set(sampleKeys(rows, sampleColumns));
  if (tests && distinctSamples.size <= rows.rows.length / 2) return null;
  if (rounds.length === 0) return refuse('a survey whose years and months cannot be read');
  const { examined, positive } = counts;
  const cellIn = (cells: readonly (string | null)[], column: string) => cells[header.indexOf(column)] ?? null;
  const positivesUnit =
    examined && positive
      ? findPositivesUnit(
          table.rows.map(({ cells }) => ({ examined: cellIn(cells, examined), positive: cellIn(cells, positive) })),
        )
      : null;
  if (positive && positivesUnit) {
    counts.positivity = positive;
    delete counts.positive;
  }
  const isInteger = (column: string | undefined) =>
    !column ||
    !filledCells(table, column).some((cell) => Number.isFinite(Number(cell)) && !Number.isInteger(Number(cell)));
  const isPercent = counts.positivity && filledCells(table, counts.positivity).some((cell) => Number(cell) > 1);
  const placeColumns = isLocated ? coordinates : { [placeColumnName(clusterPlace!)]: clusterPlace!.column };
  const urban = candidateColumns(header, 'urban').find((column) =>
    filledCells(table, column).every((cell) =>
      isDhsResidence(column) ? cell in DHS_RESIDENCE : parseUrban(cell) !== undefined,
    ),
  );
  const recode = {
    ...(year?.recode ? { survey_year: year.recode } : {}),
    ...(urban && isDhsResidence(urban) ? { urban: DHS_RESIDENCE } : {}),
  };
  const state =
    isLocated || clusterPlace!.kind !== 'state_pcode'
      ? findStateColumn(table, isLocated ? null : clusterPlace!, states)
      : {};
  const { dialect = {} } = fileDialect(table, timeKey);
  const combinedDialect = { ...dialect, ...(tests ? { tests } : {}) };
  const entry: DraftEntry = {
    role: 'survey_clusters',
    unit: isPercent ? 'percent' : 'share',
    columns: {
      ...(year ? { survey_year: year.column } : {}),
      ...keyColumns,
      ...timeKey?.columns,
      ...placeColumns,
      ...counts,
      ...(urban ? { urban } : {}),
      ...state,
      // Where the coordinates are said to lie.
      ...(isLocated && place?.kind === 'lga_pcode' && place.codeByName ? { lga: place.column } : {}),
      ...likeliestColumns(header, ['youngest_years', 'oldest_years', 'weight']),
    },
    ...(Object.keys(recode).length > 0 ? { recode } : {}),
    ...(Object.keys(combinedDialect).length > 0 ? { dialect: combinedDialect } : {}),
    methods,
    rounds,
    ...(isInteger(counts.examined) && isInteger(counts.positive) ? {} : { weighted_counts: true }),
    ...(isLocated ? { displaced: true } : {}),
  };
  const note = [
    'Columns recognised by their names',
    ...(tests ? [`a row for each test (${Object.keys(tests).join(', ')})`] : []),
    ...(parts ? [`places of clusters from ${parts.places.file} by ${parts.joinColumns.join(' and ')}`] : []),
    ...(year?.recode ? [`survey years from the names in "${year.column}"`] : []),
    ...(basis ? [`survey ${rounds.map(({ survey_year }) => survey_year).join(' and ')} by ${basis}`] : []),
  ].join(', ');
  return {
    entries: [{ entry, note }],
    obstacles: [],
    questions,
    rows,
    ...(parts ? { joinedFiles: parts.files } : {}),
    doubts: [
      ...(year?.doubts ?? []),
      ...doubts,
      ...(timeKey ? dayMonthDoubts(table, timeKey) : []),
      ...(positivesUnit
        ? [`${file.file}: "${positive}" is read as the ${positivesUnit} of those examined: only so are children whole`]
        : []),
    ],
  };
}

/** The months of fieldwork of each row, by its year if it has one; null if there are none for a row. */
function matchFieldwork(table: TextTable, year: YearColumn | null, spans: ReturnType<typeof monthsInAnswer>) {
  const years = year ? cellsByRow(table, year.column).map((cell) => year.recode?.[cell ?? ''] ?? cell) : null;
  const matches = table.rows.map((_, row) =>
    years === null || spans.length === 1 ? spans : spans.filter(({ first }) => first.startsWith(years[row] ?? '-')),
  );
  return matches.length > 0 && matches.every(({ length }) => length === 1) ? matches.map(([span]) => span!) : null;
}

/** The codes of DHS's columns of residence. */
const DHS_RESIDENCE = { '1': 'urban', '2': 'rural' };
const isDhsResidence = (column: string) => /^h?v025$/i.test(column);

const COLUMN_MEANINGS = {
  examined: 'children examined',
  positive: 'children positive',
  survey_year: 'year',
  cluster_id: 'cluster',
  method: 'diagnostic method',
};

/** The table with its survey years in a column of the project's name for it. */
const withSurveyYears = ({ header, rows }: TextTable, years: readonly (number | null)[]): TextTable => ({
  header: [...header, SURVEY_YEAR],
  rows: rows.map(({ line, cells }, i) => ({ line, cells: [...cells, years[i] === null ? null : String(years[i])] })),
});
/** Cannot be the name of a column of a file, since blanks around names are removed. */
const SURVEY_YEAR = '\tsurvey_year';

const sampleKeys = ({ header, rows }: TextTable, columns: readonly string[]): string[] =>
  rows.map(({ cells }) => JSON.stringify(columns.map((column) => cells[header.indexOf(column)])));

/**
 * The columns of children examined and positive: those of each test if there are such columns, without their totals.
 */
function countColumns(header: readonly string[], tests: Dialect['tests'] | null) {
  const names = ['examined', 'positive', 'positivity'] as const;
  const [test] = Object.values(tests ?? {});
  return likeliestColumns(
    header,
    names.filter((name) => !test || test[name] !== undefined),
  );
}

/** Columns of tests that stand side by side in rows of clusters; null if they do not. */
function sideBySideTests(table: TableFile, isLocated: boolean, place: PlaceKey | null): Dialect['tests'] | null {
  const { header, dialect } = table;
  const { cluster_id, method } = likeliestColumns(header, ['cluster_id', 'method']);
  // Ids alone may be those of facilities, whose records are cases of their areas.
  const isNamed = cluster_id !== undefined && !['id', 'siteid'].includes(plainName(cluster_id));
  const hasClusters = isNamed || (isLocated && place?.kind !== 'lga_pcode');
  if (method || dialect.pivot || dialect.wide || !hasClusters || likeliestColumn(header, 'facility') !== null)
    return null;
  const tests = testColumnsIn(header).filter(
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
  const fieldworkMonths = (order: MonthOrder) => {
    if ([...daysIn(cells, order)].every((day) => Number(day) === 1)) return -1;
    const { first, last } = monthSpan(cells.flatMap((cell) => readMonth(cell, order) ?? []));
    return monthIndex(last) - monthIndex(first);
  };
  return orders.toSorted((a, b) => fieldworkMonths(a) - fieldworkMonths(b) || (a < b ? -1 : 1));
}

/** A doubt about dates whose day and month cannot be told apart. */
function dayMonthDoubts(table: TableFile, { columns, monthOrder, otherOrders = [] }: TimeKey): string[] {
  if (otherOrders.length === 0 || !('period' in columns)) return [];
  const cells = filledCells(table, columns.period);
  const describeSpan = (order: MonthOrder) => {
    const { first, last } = monthSpan(cells.flatMap((cell) => readMonth(cell, order) ?? []));
    return first === last ? first : `${first} to ${last}`;
  };
  const otherReadings = otherOrders.map((order) => `as "${order}" it would be ${describeSpan(order)}`).join(', ');
  return [
    `${table.file}: day and month of "${cells[0]}" in "${columns.period}" cannot be told apart; read as "${monthOrder}", fieldwork is ${describeSpan(monthOrder!)}; ${otherReadings}. If that is right, write it as "months" in the dialect (sources.json), and correct the rounds`,
  ];
}

export function parseMethods(cells: readonly string[]): NonNullable<Source['methods']> | string {
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
  const cellInColumn = (cells: TextTable['rows'][number]['cells'], column: string | undefined) =>
    cells[table.header.indexOf(column ?? '')] || null;
  const ageInMonths = (cell: string | null) => (cell === null ? null : 12 * Number(cell));
  const matchingRows = table.rows.filter(({ cells }) => {
    const [youngest_months, oldest_months] = [youngest_years, oldest_years].map((age) =>
      ageInMonths(cellInColumn(cells, age)),
    );
    return hasScoreAges({ youngest_months: youngest_months!, oldest_months: oldest_months! }, ages);
  });
  const matchingCells = (column: string | undefined) =>
    new Set(matchingRows.map(({ cells }) => cellInColumn(cells, column)));
  const [years, names] = [matchingCells(SURVEY_YEAR), matchingCells(method)];
  const [kept, dropped] = [true, false].map((isKept) =>
    rounds.filter((round) => years.has(String(round.survey_year)) === isKept),
  ) as [typeof rounds, typeof rounds];
  if (kept.length === 0 || dropped.length === 0) return entry;
  const reason = `all clusters are of other ages than ${ages.join(' to ')} months`;
  return {
    ...entry,
    rounds: kept,
    methods: method ? Object.fromEntries(Object.entries(methods).filter(([, name]) => names.has(name))) : methods,
    leave_out: dropped.map((round) => ({ where: { survey_year: round.survey_year }, reason })),
  };
}
