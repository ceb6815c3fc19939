/** The roles of a table whose rows are areas: cases, rain, people, context figures, or several of them. */

import { FIGURES, type Figure } from '../../catalog/figures.ts';
import type { Role } from '../../catalog/roles.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { findSiblings, type Sibling } from '../../ingest/siblings.ts';
import {
  type ColumnName,
  columnsNamed,
  filledCells,
  likeliestColumn,
  looksLike,
  matchColumns,
  reportingRateColumn,
} from '../columns.ts';
import { type CaseColumns, caseColumnsIn, isOfCounts, isOfSomeCases, OF_MALARIA, testedIn } from './case-columns.ts';
import { type DraftEntry, dialectWith, type TableDraft } from './draft-entry.ts';
import {
  type AreaCodes,
  findTimeColumn,
  monthSpan,
  type PlaceKey,
  placeColumnName,
  stateIn,
  type TimeKey,
} from './draft-keys.ts';
import { leaveOutTotalAreas, leaveOutTotals } from './draft-totals.ts';
import { filledZeros, zerosLeftOut } from './draft-zeros.ts';
import { type Answers, type CaseSum, casesQuestion, columnsIn, type NumbersAre, numbersQuestion } from './questions.ts';
import type { TableFile } from './recognise.ts';
import { findYearColumn } from './survey-rounds.ts';

/** What a column of a table by area is used for. */
interface Use {
  measure: ColumnName;
  /** The role of a table of the lower level, and of the upper level if there is one. */
  lower: Role;
  upper?: Role;
  figure?: Figure;
  unit: string;
  /** Whether every month is used, or only the latest figure of each area. */
  monthly: boolean;
  beside?: ColumnName;
  /** What the country lacks without it, unless it is mere context. */
  subject?: string;
}

const USES: readonly Use[] = [
  { measure: 'confirmed', lower: 'cases_lgas', upper: 'cases_states', unit: 'cases', monthly: true, subject: 'cases' },
  {
    measure: 'rain_mm',
    lower: 'climate',
    unit: 'mm per month',
    monthly: true,
    beside: 'temperature_c',
    subject: 'climate',
  },
  {
    measure: 'people',
    lower: 'population_census',
    unit: 'persons',
    monthly: false,
    beside: 'children_0_4',
    subject: 'people',
  },
  ...FIGURES.map((figure): Use => {
    const unit = figure === 'travel_minutes_to_care' ? 'minutes' : 'share';
    return { measure: figure, lower: 'layer', upper: 'layer', figure, unit, monthly: false };
  }),
];

/** Names that may stand beside those of a table's areas; a name in the row of a facility may be the facility's. */
const NAMES_BESIDE = { lga_pcode: ['lga', 'state'], state_pcode: ['state'], facility: [] } as const;

/** The file's column of each figure, by its name. */
type Named = Partial<Record<ColumnName, string>>;
/** The same, or the columns that a figure is the sum of. */
type Measures = Partial<Record<ColumnName, string | readonly string[]>>;

/** @param answers to questions about what numbers without a name are */
export function draftByPlace(table: TableFile, place: PlaceKey | null, areas: AreaCodes, answers: Answers): TableDraft {
  if (!place) return withoutPlace(table);
  const places = [place.column, ...(place.facility ? [place.facility] : [])];
  const columnsBeside = table.header.filter((column) => !places.includes(column));
  const named: Named = {
    ...peopleByYear(table, columnsBeside),
    ...matchColumns(
      columnsBeside,
      USES.map(({ measure }) => measure),
    ),
  };
  const rate = reportingRateColumn(columnsBeside);
  const nameless = namelessIn(table, columnsBeside, named);
  const numbers = nameless === null ? null : numbersIn(table, columnsBeside, nameless, answers);
  const isMonthly = isOfMonths(findTimeColumn(table, places));
  const { confirmed } = named;
  const filled = isMonthly && confirmed !== undefined && !numbers ? filledZeros(table, columnsBeside, confirmed) : null;
  const cases = isMonthly && !numbers && !filled?.parts ? casesIn(table, columnsBeside, confirmed, answers) : null;
  const measures: Measures = numbers
    ? measuresFor(numbers, nameless!)
    : {
        ...named,
        ...(filled?.parts ? { confirmed: filled.parts } : {}),
        ...(cases && cases.added.length > 0 ? { confirmed: cases.added } : {}),
      };
  const time = findTimeColumn(table, [...places, ...Object.values(measures).flat()]);
  const months = monthsIn(table, place, time, measures);
  const latest = latestIn(table, place, time, measures);
  const keys = [...places, ...(rate ? [rate] : []), ...(typeof time === 'string' ? [] : Object.values(time.columns))];
  const isByFacility = place.kind === 'facility' || place.facility !== undefined;
  const draft: TableDraft = {
    entries: [],
    obstacles: [],
    keys,
    ...(numbers ? { numbers } : {}),
    ...(cases ? { cases } : {}),
  };
  if (cases?.added.length === 0)
    draft.obstacles.push({
      why: `no columns are known to count each confirmed case once, of ${cases.leftOut.map((column) => `"${column}"`).join(', ')} (answer "${casesQuestion(table.file)}" with those to add up)`,
      lost: 'cases',
    });
  for (const use of USES) {
    const measured = measures[use.measure];
    if (measured === undefined) continue;
    const [column, ...more] = [measured].flat() as [string];
    const role =
      isByFacility && use.measure !== 'confirmed' ? undefined : place.kind === 'state_pcode' ? use.upper : use.lower;
    const rows = use.monthly ? months : latest;
    if (use.measure === 'people' && place.kind === 'state_pcode' && !isByFacility && typeof rows !== 'string') {
      const [unit, people] = [use.unit, { [placeColumnName(place)]: place.column, people: column }];
      draft.above = { role: use.lower, unit, columns: people, ...rows };
      continue;
    }
    if (role === undefined || typeof rows === 'string') {
      const level = isByFacility ? 'by facility' : 'for the upper level only';
      const why = role === undefined ? `it is given ${level}` : rows;
      draft.obstacles.push({ why: `"${column}" is not used: ${why}`, ...(use.subject ? { lost: use.subject } : {}) });
      continue;
    }
    const { columns, ...kept } = rows;
    const entry: DraftEntry = {
      role,
      ...(use.figure ? { figure: use.figure } : {}),
      unit: use.unit === 'share' && isPercent(table, column) ? 'percent' : use.unit,
      columns: {
        [placeColumnName(place)]: place.column,
        ...(place.facility ? { facility: place.facility } : {}),
        ...columns,
        ...(more.length === 0 ? { [use.measure]: column } : {}),
        ...(use.measure === 'confirmed' && rate && !isByFacility ? { reporting_rate: rate } : {}),
        ...matchColumns(columnsBeside, [
          ...(use.beside ? [use.beside] : []),
          ...NAMES_BESIDE[place.facility ? 'state_pcode' : place.kind].filter(
            (name) => name !== placeColumnName(place),
          ),
        ]),
        // Whatever its column is called, an upper-level area tells names of the lower level apart.
        ...(placeColumnName(place) === 'lga' ? stateIn(table, null, areas.states) : {}),
      },
      ...(more.length > 0 ? { sums: { [use.measure]: [column, ...more] } } : {}),
      ...(use.measure === 'confirmed' && cases ? unusedIn(table, cases, answers) : {}),
      ...dialectWith(table, columns ? time : null),
      ...kept,
    };
    const totals = totalsIn(table, place, areas, typeof time === 'string' ? null : time, use, [column, ...more]);
    if (totals?.leave_out) entry.leave_out = totals.leave_out;
    draft.doubts = [...(draft.doubts ?? []), ...(totals?.doubts ?? [])];
    if (use.measure === 'confirmed') {
      const zeros = entry.columns?.reporting_rate ? zerosLeftOut(table, place, column, rate!) : 0;
      if (zeros > 0) entry.reporting = { blank: 'zero' };
      draft.doubts = [
        ...draft.doubts,
        ...(filled ? [filled.doubt] : []),
        ...(zeros > 0
          ? [
              `${table.file}: "${column}" is never 0, and blank in ${zeros} rows whose reports came in: these are read as 0 (reporting)`,
            ]
          : []),
        ...(more.length > 0 ? partlyBlank(table, [column, ...more]) : []),
        ...aboveTested(table, [column, ...more], testedBeside(table, columnsBeside, [column, ...more])),
      ];
    }
    draft.entries.push({ entry, note: noteOn(table, place, entry, numbers) });
  }
  if (draft.entries.length + draft.obstacles.length === 0 && !draft.above)
    draft.obstacles.push({
      why: numbers
        ? `by area, but neither its name nor its columns tell what its numbers are (answer "${numbersQuestion(table.file)}")`
        : 'by area, but without a column of people, cases, rain or a context figure',
    });
  return draft;
}

/** Counts that rows of the same table may add up to: of the facilities of an area, or of the areas. */
function totalsIn(
  table: TableFile,
  place: PlaceKey,
  { lgas, states }: AreaCodes,
  time: TimeKey | null,
  { measure }: Use,
  columns: readonly string[],
) {
  if (measure !== 'confirmed' && measure !== 'people') return null;
  if (place.facility) return time && leaveOutTotals(table, place, time, columns);
  if (place.kind === 'facility') return null;
  return leaveOutTotalAreas(table, place, time, columns, place.kind === 'lga_pcode' ? lgas : states);
}

const isOfMonths = (time: TimeKey | string) => typeof time !== 'string' && time.monthly;

function withoutPlace(table: TableFile): TableDraft {
  const why = likeliestColumn(table.header, 'facility')
    ? 'by facility, and no list of facilities gives their areas or coordinates under the same ids or names'
    : 'no column contains the area codes or names (areas must be rows, not columns)';
  const time = findTimeColumn(table, []);
  const lost = looksLike([table.file, ...table.header]) ?? 'monthly records';
  return { entries: [], obstacles: [{ why, ...(isOfMonths(time) ? { lost } : {}) }] };
}

function noteOn(
  { dialect }: TableFile,
  { kind, codes, facility }: PlaceKey,
  { where, sums = {} }: DraftEntry,
  numbers: NumbersAre | null,
) {
  const parts = [
    [dialect.pivot ? 'months are columns' : '', dialect.wide ? 'each row is one figure' : '']
      .filter(Boolean)
      .join(', ')
      .replace(/^./, (letter) => letter.toUpperCase()) || 'Columns recognised by their names',
    ...(kind === 'facility' ? ['facilities are summed into the areas that the list of facilities gives'] : []),
    ...(facility ? ['facilities are summed into areas'] : []),
    ...(codes ? ['areas by their names'] : []),
    ...Object.entries(sums).map(
      ([name, added]) => `${name}: the sum of ${added.map((one) => `"${one}"`).join(' and ')}`,
    ),
    ...(numbers ? [`numbers without a name taken for ${numbers}`] : []),
    ...(where ? [`only ${Object.values(where).join('-')}, the latest in every area`] : []),
  ];
  return parts.join(', ');
}

/** In a table about people whose columns are years, the people of the last one. */
function peopleByYear(table: TextTable & { file: string }, columns: readonly string[]): Named {
  const years = columns.filter((column) => /^(19|20)\d\d$/.test(column.trim())).sort();
  const isOfPeople = years.length > 0 && looksLike([table.file, ...columns]) === 'people';
  return isOfPeople ? { people: years.at(-1)! } : {};
}

/**
 * The columns to add up to a table's cases, none if they are not known, as answered or else as their names say. Of parts
 * whose names are not understood, such as `PW`, those beside them are parts too.
 */
function casesIn(
  table: TableFile,
  columns: readonly string[],
  confirmed: string | undefined,
  answers: Answers,
): TableDraft['cases'] | null {
  const read = confirmed === undefined ? (caseColumnsIn(table, columns) ?? unknownCasesIn(table, columns)) : null;
  const named = read?.added ?? (confirmed === undefined ? [] : [confirmed]);
  const siblings = siblingsIn(table, columns, named);
  if (!read && siblings.length === 0) return null;
  const parts = siblings.flatMap(({ column, areBothParts }) =>
    areBothParts && !isOfSomeCases(column) ? [column] : [],
  );
  const guess = columns.filter((column) => named.includes(column) || parts.includes(column));
  const answer = answers[casesQuestion(table.file)];
  const added = answer === undefined ? guess : columnsIn(answer, columns);
  const others = [...named, ...(read?.leftOut ?? []), ...siblings.map(({ column }) => column)];
  return {
    added,
    leftOut: [...new Set(others)].filter((column) => !added.includes(column)),
    siblings: siblingsIn(table, columns, added),
    columns,
  };
}

function siblingsIn(table: TableFile, columns: readonly string[], taken: readonly string[]): Sibling[] {
  const isNumeric = (column: string) => isOfCounts(filledCells(table, column));
  const counts = taken.length === 0 ? [] : columns.filter((column) => taken.includes(column) || isNumeric(column));
  return findSiblings(
    counts.map((column) => {
      const index = table.header.indexOf(column);
      const numbers = table.rows.map(({ cells }) => (cells[index] === null ? Number.NaN : Number(cells[index])));
      return { column, isTaken: taken.includes(column), numbers };
    }),
  );
}

/** What a person has said is no part of the cases. */
const unusedIn = ({ file }: TableFile, { siblings }: CaseSum, answers: Answers): Pick<DraftEntry, 'unused'> =>
  answers[casesQuestion(file)] === undefined || siblings.length === 0
    ? {}
    : { unused: Object.fromEntries(siblings.map(({ column }) => [column, 'no part of the cases, as answered'])) };

/** Counts of which none is known to be of confirmed cases, in a table about malaria: people can say which are. */
function unknownCasesIn(table: TableFile, columns: readonly string[]): CaseColumns | null {
  if (!OF_MALARIA.test([table.file, ...columns].join(' '))) return null;
  const leftOut = columns.filter((column) => isOfCounts(filledCells(table, column)));
  return leftOut.length > 0 ? { added: [], leftOut } : null;
}

/** A doubt about rows in which only some of the columns of a sum have a number. */
function partlyBlank({ file, header, rows }: TableFile, added: readonly string[]): string[] {
  const indexes = added.map((column) => header.indexOf(column));
  const partly = rows.filter(({ cells }) => {
    const blank = indexes.filter((index) => cells[index] === null).length;
    return blank > 0 && blank < indexes.length;
  });
  if (partly.length === 0) return [];
  return [
    `${file}: cases are a sum of which some columns are blank, and are not counted, in ${partly.length} of ${rows.length} rows (first: row ${partly[0]!.line})`,
  ];
}

/** The columns of tests, none if their parts are not understood: those of the positives are not. */
function testedBeside(table: TableFile, columns: readonly string[], positives: readonly string[]): string[] {
  const read = caseColumnsIn(table, columns);
  return read && String(read.added) !== String(positives) ? [] : testedIn(columns);
}

/** A doubt about the rows in which more people are positive than were tested, if columns give these. */
function aboveTested(
  { file, header, rows }: TableFile,
  positives: readonly string[],
  tested: readonly string[],
): string[] {
  if (tested.length === 0) return [];
  const columnIndex = (column: string) => header.indexOf(column);
  const sumCells = (cells: readonly (string | null)[], columns: readonly string[]) =>
    columns.reduce((sum, column) => sum + Number(cells[columnIndex(column)] ?? 0), 0);
  const above = rows
    .filter(({ cells }) => tested.every((column) => cells[columnIndex(column)] !== null))
    .map(({ line, cells }) => ({ line, positive: sumCells(cells, positives), tested: sumCells(cells, tested) }))
    .filter((row) => row.positive > row.tested);
  const [first] = above;
  if (!first) return [];
  const many = above.length === 1 ? 'a row has' : `${above.length} rows have`;
  return [
    `${file}: ${many} more positive than tested (first: row ${first.line}, ${first.positive} of ${first.tested}); a digit too many may be among them`,
  ];
}

const isPercent = (table: TextTable, column: string) => filledCells(table, column).some((cell) => Number(cell) > 1);

/**
 * The column of numbers whose name does not say what they are: one called `value`, as after a pivot, or the only data
 * element beside a reporting rate, which DHIS2 calls as it likes.
 */
function namelessIn(table: TableFile, columns: readonly string[], named: Named): string | null {
  const { confirmed } = named;
  if (confirmed !== undefined) return /^value_*$/i.test(confirmed) ? confirmed : null;
  if (!table.dialect.wide || Object.keys(named).length > 0) return null;
  const excluded = [reportingRateColumn(columns), ...columnsNamed(columns, 'period')];
  const isNumeric = (cells: readonly string[]) =>
    cells.length > 0 && cells.every((cell) => Number.isFinite(Number(cell)));
  const numeric = columns.filter((column) => !excluded.includes(column) && isNumeric(filledCells(table, column)));
  return numeric.length === 1 ? numeric[0]! : null;
}

/**
 * What numbers without a name are: as answered, else by the names of the file and of its columns, else cases if they
 * are whole.
 */
function numbersIn(table: TableFile, columns: readonly string[], value: string, answers: Answers): NumbersAre {
  const answer = answers[numbersQuestion(table.file)];
  if (answer) return answer as NumbersAre;
  const subject = looksLike([table.file, ...columns]);
  if (subject === 'people') return 'people';
  if (subject === 'climate') return 'rain';
  const areWhole = filledCells(table, value).every((cell) => /^\d+(\.0*)?$/.test(cell));
  return areWhole && (subject === null || subject === 'cases') ? 'cases' : 'other';
}

/** Numbers without a name are the only ones of their table: others beside them are totals. */
function measuresFor(numbers: NumbersAre, column: string): Measures {
  const measure = { cases: 'confirmed', rain: 'rain_mm', people: 'people', other: null }[numbers];
  return measure === null ? {} : { [measure]: column };
}

/** The rows of an entry: the columns of their months and the span, or the time to keep. */
type Rows = Pick<DraftEntry, 'columns' | 'span' | 'where'>;

/** One row for each area and month, or why there is none. */
function monthsIn(table: TextTable, place: PlaceKey, time: TimeKey | string, measures: Measures): Rows | string {
  if (typeof time === 'string') return time;
  if (!time.monthly) return 'without a column of months';
  return repeatedIn(table, place, time, measures) ?? { columns: time.columns, span: monthSpan(time.times) };
}

/**
 * One row for each area, or why there is none. People are not summed over times: of several, the latest that most areas
 * have is kept.
 */
function latestIn(table: TableFile, place: PlaceKey, time: TimeKey | string, measures: Measures): Rows | string {
  if (repeatedIn(table, place, null, measures) === null) return {};
  const when = typeof time === 'string' ? timeOfSurveys(table) : time;
  const repeated = repeatedIn(table, place, when, measures);
  if (!when || repeated !== null) return repeated!;
  const rowsAt = Map.groupBy([...table.rows.keys()], (row) => when.times[row]!);
  const most = Math.max(...[...rowsAt.values()].map((rows) => rows.length));
  const [last] = [...rowsAt]
    .flatMap(([rowTime, rows]) => (rows.length === most ? [rowTime] : []))
    .sort((a, b) => (a > b ? -1 : 1));
  const { cells } = table.rows[rowsAt.get(last!)![0]!]!;
  const where = Object.values(when.columns).map((column) => [column, cells[table.header.indexOf(column)]!]);
  return { where: Object.fromEntries(where) };
}

/** The years in the names of surveys, for a table without other times; null if it has no such names. */
function timeOfSurveys(table: TableFile): TimeKey | null {
  const survey = findYearColumn(table);
  if (!survey?.recode) return null;
  const columnIndex = table.header.indexOf(survey.column);
  const times = table.rows.map(({ cells }) => survey.recode![cells[columnIndex] ?? ''] ?? '');
  return { columns: { year: survey.column }, monthly: false, months: undefined, times };
}

/** Why a table has several rows for one area and time, and what tells them apart; null if it has not. */
function repeatedIn(table: TextTable, place: PlaceKey, time: TimeKey | null, measures: Measures): string | null {
  const { column: area, facility = area, within = area, shared = [] } = place;
  const indexes = [within, area, facility].map((column) => table.header.indexOf(column));
  const keys = table.rows.map(({ cells }, i) =>
    [...new Set(indexes.map((index) => cells[index])), time?.times[i] ?? ''].join(' ').trim(),
  );
  const counts = Map.groupBy(keys, (key) => key);
  const twice = [...counts].find(([, rows]) => rows.length > 1);
  if (!twice) return null;
  const name = table.rows[keys.indexOf(twice[0])]!.cells[table.header.indexOf(area)]!;
  if (shared.includes(name))
    return `"${name}" is the name of several areas; add a column with the upper-level area that each row lies in`;
  const keyed = [place.column, ...Object.values(time?.columns ?? {}), ...Object.values(measures).flat()];
  const apart = table.header.findLast(
    (column, index) =>
      !keyed.includes(column) &&
      new Set(table.rows.map(({ cells }, i) => `${keys[i]} ${cells[index]}`)).size === keys.length,
  );
  const conflict = `${twice[1].length} rows for ${twice[0]}`;
  if (!apart) return `${conflict}, and nothing tells them apart; leave one row for each area and time`;
  const values = [...new Set(filledCells(table, apart))];
  const some = `${values.slice(0, 3).join(', ')}${values.length > 3 ? ' …' : ''}`;
  return `${conflict}, which differ in "${apart}" (${some}); leave one row for each area and time`;
}
