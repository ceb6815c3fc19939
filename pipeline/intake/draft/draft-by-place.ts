/** The roles of a table whose rows are areas: cases, rain, people, context figures, or several of them. */

import { FIGURES, type Figure } from '../../catalog/figures.ts';
import type { Role } from '../../catalog/roles.ts';
import { findTotalColumn } from '../../ingest/readers/column-sums.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { findSiblings, type Sibling } from '../../ingest/siblings.ts';
import {
  type ColumnName,
  cellsByRow,
  countDistinct,
  filledCells,
  guessSubject,
  isUid,
  likeliestColumn,
  likeliestColumns,
  numbersByRow,
  reportingRateColumn,
  sumsByRow,
} from '../columns.ts';
import { areCounts, findCaseColumns, findTestedColumns, namesOtherCounts, namesSubset } from './case-columns.ts';
import { type DraftEntry, fileDialect, type TableDraft } from './draft-entry.ts';
import {
  type AreaCodes,
  findStateColumn,
  findTimeColumn,
  isMonthlyTime,
  monthSpan,
  type PlaceKey,
  placeColumnName,
  type TimeKey,
} from './draft-keys.ts';
import { leaveOutTotalAreas, leaveOutTotals } from './draft-totals.ts';
import { countOmittedZeros, findFilledZeros } from './draft-zeros.ts';
import { describePatients } from './patients.ts';
import {
  type Answers,
  type CaseSum,
  casesQuestionId,
  columnsInAnswer,
  type NumberKind,
  numberKinds,
  numbersQuestionId,
} from './questions.ts';
import type { TableFile } from './recognise.ts';
import { findYearColumn } from './survey-rounds.ts';
import { describeNumbers, numberColumns, type UnnamedNumbers } from './unnamed-numbers.ts';

/** A measure that a column of a table by area may give, and the role that the table has for it. */
interface FigureUse {
  measure: ColumnName;
  /** The role of a table of the lower level, and of the upper level if there is one. */
  lowerRole: Role;
  upperRole?: Role;
  figure?: Figure;
  unit: string;
  /** Whether every month is used, or only the latest figure of each area. */
  isMonthly: boolean;
  secondMeasure?: ColumnName;
  /** What the country lacks without it; left out for context figures. */
  subject?: string;
}

const FIGURE_USES: readonly FigureUse[] = [
  {
    measure: 'confirmed',
    lowerRole: 'cases_lgas',
    upperRole: 'cases_states',
    unit: 'cases',
    isMonthly: true,
    subject: 'cases',
  },
  {
    measure: 'rain_mm',
    lowerRole: 'climate',
    unit: 'mm per month',
    isMonthly: true,
    secondMeasure: 'temperature_c',
    subject: 'climate',
  },
  {
    measure: 'people',
    lowerRole: 'population_census',
    unit: 'persons',
    isMonthly: false,
    secondMeasure: 'children_0_4',
    subject: 'people',
  },
  ...FIGURES.map((figure): FigureUse => {
    const unit = figure === 'travel_minutes_to_care' ? 'minutes' : 'share';
    return { measure: figure, lowerRole: 'layer', upperRole: 'layer', figure, unit, isMonthly: false };
  }),
];

/** Columns with further names of a row's area; none for facilities, where a name may be that of the facility. */
const PLACE_NAME_COLUMNS = { lga_pcode: ['lga', 'state'], state_pcode: ['state'], facility: [] } as const;

/** The file's column of each measure. */
type ColumnByMeasure = Partial<Record<ColumnName, string>>;
/** The file's column of each measure, or the columns whose sum it is. */
type ColumnsByMeasure = Partial<Record<ColumnName, string | readonly string[]>>;

/** @param answers to questions about what numbers without a name are */
export function draftByPlace(table: TableFile, place: PlaceKey | null, areas: AreaCodes, answers: Answers): TableDraft {
  if (!place) return draftWithoutPlace(table, areas);
  const placeColumns = [place.column, ...(place.facilityColumn ? [place.facilityColumn] : [])];
  const otherColumns = table.header.filter((column) => !placeColumns.includes(column));
  const measureNames = FIGURE_USES.map(({ measure }) => measure);
  const columnByMeasure: ColumnByMeasure = {
    ...peopleByYear(table, otherColumns),
    ...likeliestColumns(otherColumns, measureNames),
  };
  const rateColumn = reportingRateColumn(otherColumns);
  const firstTime = findTimeColumn(table, placeColumns);
  const patients = describePatients(table, place, firstTime);
  if (patients) return { entries: [], obstacles: [{ why: patients, lost: 'cases' }] };
  const isMonthly = isMonthlyTime(firstTime);
  const keyTimes = typeof firstTime === 'string' ? [] : Object.values(firstTime.columns);
  const figureColumns = otherColumns.filter((column) => column !== rateColumn && !keyTimes.includes(column));
  const unnamed = findUnnamedNumbers(table, figureColumns, columnByMeasure, firstTime);
  const kinds = unnamed && numberKinds(answers[numbersQuestionId(table.file)] ?? unnamed.guess, unnamed.columns);
  const { confirmed } = columnByMeasure;
  const isOfCases = isMonthly && !unnamed;
  const filledZeros = isOfCases && confirmed ? findFilledZeros(table, otherColumns, confirmed) : null;
  const cases = isOfCases && !filledZeros?.parts ? findCaseSum(table, figureColumns, confirmed, answers) : null;
  const measures: ColumnsByMeasure = kinds
    ? measuresFor(kinds)
    : {
        ...columnByMeasure,
        ...(filledZeros?.parts ? { confirmed: filledZeros.parts } : {}),
        ...(cases && cases.summed.length > 0 ? { confirmed: cases.summed } : {}),
      };
  const time = findTimeColumn(table, [...placeColumns, ...Object.values(measures).flat()]);
  const monthlyRows = selectMonthlyRows(table, place, time, measures);
  const latestRows = selectLatestRows(table, place, time, measures);
  const isByFacility = place.kind === 'facility' || place.facilityColumn !== undefined;
  const draft: TableDraft = {
    entries: [],
    obstacles: [],
    ...(unnamed ? { unnamed } : {}),
    ...(cases ? { cases } : {}),
  };
  if (cases?.summed.length === 0) {
    const unclear = cases.leftOut.map((column) => `"${column}"`).join(', ');
    const advice = `(answer "${casesQuestionId(table.file)}" with those to add up)`;
    const why = `no columns are known to count each confirmed case once, of ${unclear} ${advice}`;
    draft.obstacles.push({ why, lost: 'cases' });
  }
  for (const use of FIGURE_USES) {
    const summands = [measures[use.measure] ?? []].flat();
    const [column] = summands;
    if (column === undefined) continue;
    const isConfirmed = use.measure === 'confirmed';
    const isUpperLevel = place.kind === 'state_pcode';
    const role = isByFacility && !isConfirmed ? undefined : isUpperLevel ? use.upperRole : use.lowerRole;
    const rows = use.isMonthly ? monthlyRows : latestRows;
    if (use.measure === 'people' && isUpperLevel && !isByFacility && typeof rows !== 'string') {
      const columns = { [placeColumnName(place)]: place.column, people: column };
      draft.statePeople = { role: use.lowerRole, unit: use.unit, columns, ...rows };
      continue;
    }
    if (role === undefined || typeof rows === 'string') {
      const level = isByFacility ? 'by facility' : 'for the upper level only';
      const why = role === undefined ? `it is given ${level}` : rows;
      draft.obstacles.push({ why: `"${column}" is not used: ${why}`, ...(use.subject ? { lost: use.subject } : {}) });
      continue;
    }
    const { columns, ...rowSelection } = rows;
    const entry: DraftEntry = {
      role,
      ...(use.figure ? { figure: use.figure } : {}),
      unit: use.unit === 'share' && isPercent(table, column) ? 'percent' : use.unit,
      columns: {
        [placeColumnName(place)]: place.column,
        ...(place.facilityColumn ? { facility: place.facilityColumn } : {}),
        ...columns,
        ...(summands.length === 1 ? { [use.measure]: column } : {}),
        ...(isConfirmed && rateColumn && !isByFacility ? { reporting_rate: rateColumn } : {}),
        ...likeliestColumns(otherColumns, [
          ...(use.secondMeasure ? [use.secondMeasure] : []),
          ...PLACE_NAME_COLUMNS[place.facilityColumn ? 'state_pcode' : place.kind].filter(
            (name) => name !== placeColumnName(place),
          ),
        ]),
        // The same name may occur in several upper-level areas.
        ...(placeColumnName(place) === 'lga' ? findStateColumn(table, null, areas.states) : {}),
      },
      ...(summands.length > 1 ? { sums: { [use.measure]: summands } } : {}),
      ...(isConfirmed && cases ? answeredUnused(table, cases, answers) : {}),
      ...fileDialect(table, columns ? time : null, thousandsIn(kinds)),
      ...rowSelection,
    };
    const totals = findTotalRows(table, place, areas, typeof time === 'string' ? null : time, use, summands);
    if (totals?.leave_out) entry.leave_out = totals.leave_out;
    const doubts = totals?.doubts ?? [];
    if (isConfirmed) {
      const omittedZeros = entry.columns?.reporting_rate ? countOmittedZeros(table, place, column, rateColumn!) : 0;
      if (omittedZeros > 0) entry.reporting = { blank: 'zero' };
      if (filledZeros) doubts.push(filledZeros.doubt);
      if (omittedZeros > 0)
        doubts.push(
          `${table.file}: "${column}" is never 0, and blank in ${omittedZeros} rows whose reports came in: these are read as 0 (reporting)`,
        );
      if (table.dialect.wide?.sum)
        doubts.push(
          `${table.file}: counts of one data element, place and month are added up: raw data that do not say which category each is of (dimension=co)`,
        );
      if (summands.length > 1) doubts.push(...partlyBlankDoubts(table, summands));
      doubts.push(...moreThanTestedDoubts(table, summands, testedColumns(table, otherColumns, summands)));
    }
    draft.doubts = [...(draft.doubts ?? []), ...doubts];
    draft.entries.push({ entry, note: describeEntry(table, place, entry, kinds) });
  }
  if (draft.entries.length + draft.obstacles.length === 0 && !draft.statePeople) {
    const subject = guessSubject([table.file, ...table.header]) ?? 'monthly figures';
    const hasIds = unnamed?.columns.some((column) => column.split(' ').some(isUid));
    const isAsked = unnamed && (isMonthly || subject === 'people');
    draft.obstacles.push({
      why: isAsked
        ? `by area, but nothing tells what its numbers are: ${unnamed.description} (answer "${numbersQuestionId(table.file)}"${hasIds ? `, or ${NAMES_OF_IDS}` : ''})`
        : table.dialect.pivot && !isMonthly
          ? 'columns are months, but no year of them is told, or two are, as of a fiscal year: name the columns YYYY-MM'
          : 'by area, but without a column of people, cases, rain or a context figure',
      ...(isAsked ? { lost: subject } : {}),
    });
  }
  return draft;
}

const NAMES_OF_IDS =
  'save their names beside it: /api/dataElements.json?fields=id,name&paging=false, and the same of categoryOptionCombos';

/** Rows of cases or people that are totals of other rows of the table: of facilities or of areas. */
function findTotalRows(
  table: TableFile,
  place: PlaceKey,
  { lgas, states }: AreaCodes,
  time: TimeKey | null,
  { measure }: FigureUse,
  columns: readonly string[],
) {
  if (measure !== 'confirmed' && measure !== 'people') return null;
  if (place.facilityColumn) return time && leaveOutTotals(table, place, time, columns);
  if (place.kind === 'facility') return null;
  return leaveOutTotalAreas(table, place, time, columns, place.kind === 'lga_pcode' ? lgas : states);
}

function draftWithoutPlace(table: TableFile, { lgas }: AreaCodes): TableDraft {
  const children = describeRowsOfChildren(table);
  if (children) return { entries: [], obstacles: [{ why: children, lost: 'survey results' }] };
  const isEmpty = table.rows.length === 0;
  const why = isEmpty
    ? 'no rows below its header'
    : likeliestColumn(table.header, 'facility')
      ? 'by facility, and no list of facilities, with a row for each, gives their areas or coordinates under the same ids or names'
      : `no column contains the codes or names of areas, such as ${lgas.parents.keys().next().value} (areas must be rows, not columns)`;
  const time = findTimeColumn(table, []);
  const patients = describePatients(table, null, time);
  if (patients) return { entries: [], obstacles: [{ why: patients, lost: 'cases' }] };
  const lost = guessSubject([table.file, ...table.header]) ?? 'monthly records';
  return { entries: [], obstacles: [{ why, ...(isEmpty || isMonthlyTime(time) ? { lost } : {}) }] };
}

/** Most different codes of a test's result, such as 0, 1 and those for no result. */
const MOST_RESULT_CODES = 8;

/** What to do with a survey of which each row is a child; null for another table. */
function describeRowsOfChildren(table: TableFile): string | null {
  const { longitude, latitude } = likeliestColumns(table.header, ['longitude', 'latitude']);
  if (!longitude || !latitude) return null;
  const places = countDistinct(table, [longitude, latitude]);
  const results = table.header.filter((column) => {
    const codes = new Set(filledCells(table, column));
    return codes.size <= MOST_RESULT_CODES && codes.has('0') && codes.has('1') && areCounts([...codes]);
  });
  if (2 * places > table.rows.length || results.length === 0) return null;
  const describeCodes = (column: string) =>
    [...Map.groupBy(filledCells(table, column), (code) => code)]
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([code, cells]) => `${code} in ${cells.length}`)
      .join(', ');
  const columns = results.map((column) => `"${column}" (${describeCodes(column)})`).join(' or ');
  return `rows of single children: ${table.rows.length} at ${places} places; count them by cluster and round: examined, those with a result of the test, and positive, those with 1; the test may be ${columns}: codes other than 0 and 1, and blanks, are no result`;
}

function describeEntry(
  { dialect }: TableFile,
  { kind, codeByName, facilityColumn }: PlaceKey,
  { where, sums = {} }: DraftEntry,
  kinds: ReadonlyMap<string, NumberKind> | null,
) {
  const parts = [
    [dialect.pivot ? 'months are columns' : '', dialect.wide ? 'each row is one figure' : '']
      .filter(Boolean)
      .join(', ')
      .replace(/^./, (letter) => letter.toUpperCase()) || 'Columns recognised by their names',
    ...(kind === 'facility' ? ['facilities are summed into the areas that the list of facilities gives'] : []),
    ...(facilityColumn ? ['facilities are summed into areas'] : []),
    ...(codeByName ? ['areas by their names'] : []),
    ...Object.entries(sums).map(
      ([name, summed]) => `${name}: the sum of ${summed.map((column) => `"${column}"`).join(' and ')}`,
    ),
    ...(kinds ? [`numbers without a name taken for ${[...new Set(kinds.values())].join(' and ')}`] : []),
    ...(where ? [`only ${Object.values(where).join('-')}, the latest in every area`] : []),
  ];
  return parts.join(', ');
}

/** The column of the last year, if the table is about people and has years as columns. */
function peopleByYear(table: TextTable & { file: string }, columns: readonly string[]): ColumnByMeasure {
  const years = columns.filter((column) => /^(19|20)\d\d$/.test(column.trim())).sort();
  const isOfPeople = years.length > 0 && guessSubject([table.file, ...columns]) === 'people';
  return isOfPeople ? { people: years.at(-1)! } : {};
}

/**
 * The columns to add up to a table's cases: those of the answer, else a guess from their names; none if they are not
 * known. Columns with names that are not understood, such as `PW`, are added if their numbers show that they are parts.
 */
function findCaseSum(
  table: TableFile,
  columns: readonly string[],
  confirmed: string | undefined,
  answers: Answers,
): TableDraft['cases'] | null {
  const caseColumns = confirmed === undefined ? findCaseColumns(table, columns) : null;
  const namedColumns = caseColumns?.summed ?? (confirmed === undefined ? [] : [confirmed]);
  const siblings = findCaseSiblings(table, columns, namedColumns);
  if (!caseColumns && siblings.length === 0) return null;
  const siblingParts = siblings.flatMap(({ column, areBothParts }) =>
    areBothParts && !namesSubset(column) && !caseColumns?.overlapping.includes(column) ? [column] : [],
  );
  const guess = columns.filter((column) => namedColumns.includes(column) || siblingParts.includes(column));
  const answer = answers[casesQuestionId(table.file)];
  const summed = answer === undefined ? guess : columnsInAnswer(answer, columns);
  const candidates = [...namedColumns, ...(caseColumns?.leftOut ?? []), ...siblings.map(({ column }) => column)];
  return {
    summed,
    total: summed[findTotalIn(table, summed)?.total ?? -1] ?? null,
    leftOut: [...new Set(candidates)].filter((column) => !summed.includes(column)),
    siblings: findCaseSiblings(table, columns, summed),
    columns,
  };
}

/** The column that is the total of others, by position. */
const findTotalIn = (table: TableFile, columns: readonly string[]) =>
  columns.length < 2 ? null : findTotalColumn(columns.map((column) => ({ numbers: numbersByRow(table, column) })));

function findCaseSiblings(table: TableFile, columns: readonly string[], summed: readonly string[]): Sibling[] {
  if (summed.length === 0) return [];
  const countColumns = columns.filter((column) => summed.includes(column) || areCounts(filledCells(table, column)));
  return findSiblings(
    countColumns.map((column) => ({
      column,
      isTaken: summed.includes(column),
      numbers: numbersByRow(table, column),
    })),
  );
}

/** Columns that an answer excludes from the cases, declared as unused. */
const answeredUnused = ({ file }: TableFile, { siblings }: CaseSum, answers: Answers): Pick<DraftEntry, 'unused'> =>
  answers[casesQuestionId(file)] === undefined || siblings.length === 0
    ? {}
    : { unused: Object.fromEntries(siblings.map(({ column }) => [column, 'no part of the cases, as answered'])) };

/** A doubt about rows in which only some of the columns of a sum have a number, and not a total of the others. */
function partlyBlankDoubts(table: TableFile, summed: readonly string[]): string[] {
  const numbers = summed.map((column) => numbersByRow(table, column));
  const total = findTotalIn(table, summed);
  const partlyBlankRows = table.rows.filter((_, row) => {
    const isFilled = (i: number) => !Number.isNaN(numbers[i]![row]);
    const needed = [...numbers.keys()].filter((i) =>
      total && isFilled(total.total) ? !total.parts.includes(i) : i !== total?.total,
    );
    const filledCount = needed.filter(isFilled).length;
    return filledCount > 0 && filledCount < needed.length;
  });
  if (partlyBlankRows.length === 0) return [];
  return [
    `${table.file}: cases are a sum of which some columns are blank, and are not counted, in ${partlyBlankRows.length} of ${table.rows.length} rows (first: row ${partlyBlankRows[0]!.line})`,
  ];
}

/** The columns of people tested; none if the columns of the positives are not understood. */
function testedColumns(table: TableFile, columns: readonly string[], positives: readonly string[]): string[] {
  const caseColumns = findCaseColumns(table, columns);
  return caseColumns && String(caseColumns.summed) !== String(positives) ? [] : findTestedColumns(columns);
}

/** A doubt about rows with more positives than people tested. */
function moreThanTestedDoubts(table: TableFile, positives: readonly string[], tested: readonly string[]): string[] {
  if (tested.length === 0) return [];
  const [positiveSums, testedSums] = [sumsByRow(table, positives), sumsByRow(table, tested)];
  const testedCells = tested.map((column) => cellsByRow(table, column));
  const rowsAbove = [...table.rows.keys()].filter(
    (row) => positiveSums[row]! > testedSums[row]! && testedCells.every((cells) => cells[row] !== null),
  );
  const [first] = rowsAbove;
  if (first === undefined) return [];
  const subject = rowsAbove.length === 1 ? 'a row has' : `${rowsAbove.length} rows have`;
  return [
    `${table.file}: ${subject} more positive than tested (first: row ${table.rows[first]!.line}, ${positiveSums[first]} of ${testedSums[first]}); a digit too many may be among them`,
  ];
}

const isPercent = (table: TextTable, column: string) => filledCells(table, column).some((cell) => Number(cell) > 1);

/**
 * The columns of numbers of which no name says what they are, among them one called `value`, as after a pivot, and the
 * only data element of a DHIS2 export, whose name is free; null if a name settles one, or if they cannot be counts or
 * rain.
 */
function findUnnamedNumbers(
  table: TableFile,
  columns: readonly string[],
  columnByMeasure: ColumnByMeasure,
  time: TimeKey | string,
): UnnamedNumbers | null {
  const { confirmed } = columnByMeasure;
  const isMonthly = isMonthlyTime(time);
  const isCalledValue = confirmed !== undefined && /^value_*$/i.test(confirmed);
  if (!isCalledValue && (Object.keys(columnByMeasure).length > 0 || (isMonthly && findCaseColumns(table, columns))))
    return null;
  // DHIS2 gives an indicator's value with its numerator, which may be the count.
  const numerator = columns.filter((column) => /^numerator$/i.test(column) && filledCells(table, column).length > 0);
  const numeric = isCalledValue ? [confirmed, ...numerator] : numberColumns(table, columns);
  const isOfUse = isMonthly || numeric.some((column) => areCounts(filledCells(table, column)));
  if (numeric.length === 0 || !isOfUse) return null;
  const isOnlyFigure = numeric.length === 1 && isMonthly && (isCalledValue || table.dialect.wide !== undefined);
  return {
    columns: numeric,
    isMonthly,
    guess: isOnlyFigure ? guessNumberKind(table, columns, numeric[0]!) : 'other',
    description: describeNumbers(table, numeric, time),
  };
}

/** What a table's only numbers are by the names of the file and of its columns, else cases if they are whole. */
function guessNumberKind(table: TableFile, columns: readonly string[], column: string): NumberKind {
  const subject = guessSubject([table.file, ...columns]);
  if (subject === 'people') return 'people';
  if (subject === 'climate') return 'rain';
  if (namesOtherCounts(column) || column.split(' ').every(isUid)) return 'other';
  const areWhole = areCounts(filledCells(table, column));
  return areWhole && (subject === null || subject === 'cases') ? 'cases' : 'other';
}

/** The columns of each measure by their kinds. */
function measuresFor(kinds: ReadonlyMap<string, NumberKind>): ColumnsByMeasure {
  const columnsOfKind = (...names: NumberKind[]) =>
    [...kinds].flatMap(([column, kind]) => (names.includes(kind) ? [column] : []));
  const cases = columnsOfKind('cases', 'thousands of cases');
  const [[rain], [people]] = [columnsOfKind('rain'), columnsOfKind('people')];
  return {
    ...(cases.length > 0 ? { confirmed: cases } : {}),
    ...(rain === undefined ? {} : { rain_mm: rain }),
    ...(people === undefined ? {} : { people }),
  };
}

const thousandsIn = (kinds: ReadonlyMap<string, NumberKind> | null): string[] =>
  [...(kinds ?? [])].flatMap(([column, kind]) => (kind === 'thousands of cases' ? [column] : []));

/** Which rows an entry uses: all months of a span, with the columns of months, or those of one time (`where`). */
type RowSelection = Pick<DraftEntry, 'columns' | 'span' | 'where'>;

/** One row for each area and month, or the reason why this is impossible. */
function selectMonthlyRows(
  table: TextTable,
  place: PlaceKey,
  time: TimeKey | string,
  measures: ColumnsByMeasure,
): RowSelection | string {
  if (typeof time === 'string') return time;
  if (!time.isMonthly) return 'without a column of months';
  return describeRepeatedRows(table, place, time, measures) ?? { columns: time.columns, span: monthSpan(time.times) };
}

/**
 * One row for each area, or the reason why this is impossible. Of several times, the latest that most areas have is
 * kept.
 */
function selectLatestRows(
  table: TableFile,
  place: PlaceKey,
  time: TimeKey | string,
  measures: ColumnsByMeasure,
): RowSelection | string {
  if (describeRepeatedRows(table, place, null, measures) === null) return {};
  const tableTime = typeof time === 'string' ? surveyYears(table) : time;
  const repetition = describeRepeatedRows(table, place, tableTime, measures);
  if (!tableTime || repetition !== null) return repetition!;
  const rowsAt = Map.groupBy([...table.rows.keys()], (row) => tableTime.times[row]!);
  const mostRows = Math.max(...[...rowsAt.values()].map((rows) => rows.length));
  const [latestTime] = [...rowsAt]
    .flatMap(([rowTime, rows]) => (rows.length === mostRows ? [rowTime] : []))
    .sort((a, b) => (a > b ? -1 : 1));
  const { cells } = table.rows[rowsAt.get(latestTime!)![0]!]!;
  const where = Object.values(tableTime.columns).map((column) => [column, cells[table.header.indexOf(column)]!]);
  return { where: Object.fromEntries(where) };
}

/** The years in the names of surveys, for a table without other times; null if it has no such names. */
function surveyYears(table: TableFile): TimeKey | null {
  const survey = findYearColumn(table);
  if (!survey?.recode) return null;
  const times = cellsByRow(table, survey.column).map((cell) => survey.recode![cell ?? ''] ?? '');
  return { columns: { year: survey.column }, isMonthly: false, monthOrder: undefined, times };
}

const ONE_ROW = 'make one row for each area and time: add up parts and corrections, take out copies and older figures';
/** A column that tells all but a few rows apart: these were entered twice. */
const NEARLY_DISTINCT_SHARE = 0.95;

/** Describes several rows for one area and time, and the column in which they differ; null if there are none. */
function describeRepeatedRows(
  table: TextTable,
  place: PlaceKey,
  time: TimeKey | null,
  measures: ColumnsByMeasure,
): string | null {
  const { column: area, facilityColumn: facility = area, stateColumn = area, sharedNames = [] } = place;
  const keyCells = [stateColumn, area, facility].map((column) => cellsByRow(table, column));
  const keys = table.rows.map((_, row) =>
    [...new Set(keyCells.map((cells) => cells[row])), time?.times[row] ?? ''].join(' ').trim(),
  );
  const repeated = [...Map.groupBy(keys.keys(), (row) => keys[row]!)].find(([, rows]) => rows.length > 1);
  if (!repeated) return null;
  const [repeatedKey, repeatedRows] = repeated;
  const name = keyCells[1]![repeatedRows[0]!]!;
  if (sharedNames.includes(name))
    return `"${name}" is the name of several areas; add a column with the upper-level area that each row lies in`;
  const timeColumns = Object.values(time?.columns ?? {});
  const keyColumns = [place.column, ...timeColumns, ...Object.values(measures).flat()];
  const conflict = `${repeatedRows.length} rows for ${repeatedKey}`;
  // The key has the month of a date; its day may tell rows apart.
  const candidates = [...timeColumns, ...table.header.filter((column) => !keyColumns.includes(column))].map(
    (column) => {
      const longerKeys = cellsByRow(table, column).map((cell, row) => `${keys[row]} ${cell}`);
      return { column, longerKeys, distinct: new Set(longerKeys).size };
    },
  );
  const mostDistinct = Math.max(...candidates.map(({ distinct }) => distinct));
  if (mostDistinct < NEARLY_DISTINCT_SHARE * keys.length) {
    const labels = table.header.filter((column) => {
      const cells = filledCells(table, column);
      const isOfArea = countDistinct(table, [area, column]) === countDistinct(table, [area]);
      return !keyColumns.includes(column) && cells.length === keys.length && !isOfArea && !areCounts(cells);
    });
    if (countDistinct(table, [...keyColumns.slice(0, 1 + timeColumns.length), ...labels]) < keys.length)
      return `${conflict}, and nothing tells them apart; ${ONE_ROW}`;
    const examples = repeatedRows
      .slice(0, 3)
      .map((row) => labels.map((label) => cellsByRow(table, label)[row]).join(' '));
    return `${conflict}, told apart by ${labels.map((label) => `"${label}"`).join(' and ')} (${examples.join(', ')} …); keep the row of each area and time that counts all, or add up those without totals`;
  }
  const distinguishing = candidates.filter(({ distinct }) => distinct === mostDistinct);
  const ofDays = distinguishing.find(({ column }) => timeColumns.includes(column));
  const { column: distinguishingColumn, longerKeys } =
    ofDays ?? distinguishing.find(({ column }) => !areCounts(filledCells(table, column))) ?? distinguishing.at(-1)!;
  const [twice] = [...Map.groupBy(longerKeys.keys(), (row) => longerKeys[row]!)].filter(([, rows]) => rows.length > 1);
  if (twice) {
    const [first, second] = twice[1].map((row) => table.rows[row]!.line);
    return `rows ${first} and ${second} are both of ${twice[0]}; ${ONE_ROW}`;
  }
  const values = [...new Set(filledCells(table, distinguishingColumn))];
  const examples = `${values.slice(0, 3).join(', ')}${values.length > 3 ? ' …' : ''}`;
  if (ofDays)
    return `${conflict}, of days or parts of the month (${examples}); add up counts and rain by month, and average temperatures. If reports came in on these days, give each row the month of its cases`;
  return `${conflict}, which differ in "${distinguishingColumn}" (${examples}); ${ONE_ROW}`;
}
