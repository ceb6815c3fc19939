/** Finds the columns of areas, by codes or names, and of times, with days, months and years in any order. */
import type { MonthOrder } from '../../catalog/dialect.ts';
import type { Source } from '../../catalog/sources.ts';
import { isPeriod } from '../../contract/months.ts';
import { codeReader } from '../../ingest/places-by-code.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import {
  coherentSpan,
  dateOrders,
  monthOrders,
  readMonth,
  readMonthOfYear,
  unreadMonth,
} from '../../ingest/readers/months.ts';
import { plainName, sharedWords, splitWords, withoutWords } from '../../lib/name-similarity.ts';
import { bestMatchingColumn, candidateColumns, cellsByRow, filledCells } from '../columns.ts';

/** A level's codes and names. */
export interface AreaLevel {
  /** Its codes, however a program writes those that look like numbers. */
  codes: Pick<ReadonlySet<string>, 'has'>;
  /** The upper-level area of each code, as far as the files tell. */
  parents: ReadonlyMap<string, string | null>;
  /**
   * Makes a function that returns the code of a name, matched as by the ingest: undefined for none, null for several.
   */
  codeFinder(names: Iterable<string>): (name: string) => string | null | undefined;
  /** Whether a text is the whole name of an area, and not a name with other words. */
  isName(text: string): boolean;
}

export function areaLevel(areas: readonly { code: string; name: string; parent?: string | null }[]): AreaLevel {
  const codeByName = (normalise: (name: string) => string) => {
    const byName = Map.groupBy(areas, ({ name }) => normalise(name));
    return new Map([...byName].map(([name, namesakes]) => [name, namesakes.length === 1 ? namesakes[0]!.code : null]));
  };
  const [byWholeName, byBareName] = [
    codeByName(plainName),
    codeByName(withoutWords(sharedWords(areas.map(({ name }) => name)))),
  ];
  const readCode = codeReader(areas.map(({ code }) => code));
  return {
    codes: { has: (text) => readCode(text) !== null },
    isName: (text) => byWholeName.has(plainName(text)),
    parents: new Map(areas.map(({ code, parent = null }) => [code, parent])),
    codeFinder: (names) => {
      const bareName = withoutWords(sharedWords(names));
      return (name) =>
        byWholeName.get(plainName(name)) ??
        byBareName.get(bareName(name)) ??
        byWholeName.get(longestRun(name, byWholeName) ?? '');
    },
  };
}

/** The longest run of a name's words that is among `names`, as in `ce Chibombo District`; null if there is none. */
function longestRun(name: string, names: ReadonlyMap<string, unknown>): string | null {
  const words = splitWords(name);
  const runs = words.flatMap((_, from) => words.slice(from).map((_, i) => words.slice(from, from + i + 1).join('')));
  return runs.filter((run) => names.has(run)).sort((a, b) => b.length - a.length)[0] ?? null;
}

export interface AreaCodes {
  lgas: AreaLevel;
  states: AreaLevel;
}

/** The column that names the areas of a table's rows. */
export interface PlaceKey {
  kind: 'lga_pcode' | 'state_pcode' | 'facility';
  column: string;
  /** The code of each name in the column that only one area has; null for a column of codes. */
  codeByName: Record<string, string> | null;
  /** The column of the upper-level areas, if some names are those of several areas and only it tells them apart. */
  stateColumn?: string;
  /** Names of several areas, if no column tells them apart. */
  sharedNames?: readonly string[];
  /** The column of facilities, if each row is one of an area's facilities. */
  facilityColumn?: string;
}

/**
 * The column with the areas' codes or else their names, possibly among other words; null if there is none. The ingest
 * accepts a name among other words only as an alias.
 */
export function findPlaceColumn(table: TextTable, { lgas, states }: AreaCodes): PlaceKey | null {
  const findInLevel = (
    kind: 'lga_pcode' | 'state_pcode',
    { codes, codeFinder, isName }: AreaLevel,
  ): PlaceKey | null => {
    const codeColumn = bestMatchingColumn(table, () => (cell) => codes.has(cell));
    // Codes may be names without accents, so a column of names may contain some of them.
    const isOfNames = (column: string) => {
      const cells = new Set(filledCells(table, column));
      const findCode = codeFinder(cells);
      return [...cells].some((cell) => !codes.has(cell) && findCode(cell) !== undefined);
    };
    if (codeColumn && !isOfNames(codeColumn)) return { kind, column: codeColumn, codeByName: null };
    const nameColumn = bestMatchingColumn(
      table,
      (cells) => {
        const findCode = codeFinder(cells);
        return (cell) => findCode(cell) !== undefined;
      },
      isName,
    );
    if (!nameColumn) return null;
    const cells = [...new Set(filledCells(table, nameColumn))].sort();
    const findCode = codeFinder(cells);
    const codesByCell = cells.flatMap((cell): [string, string][] => {
      const code = findCode(cell);
      return code ? [[cell, code]] : [];
    });
    return { kind, column: nameColumn, codeByName: Object.fromEntries(codesByCell) };
  };
  const place = findInLevel('lga_pcode', lgas);
  if (!place) return findInLevel('state_pcode', states);
  const cells = new Set(place.codeByName ? filledCells(table, place.column) : []);
  const sharedNames = [...cells].filter((cell) => lgas.codeFinder(cells)(cell) === null);
  if (sharedNames.length === 0) return place;
  const { state_pcode, state = state_pcode } = findStateColumn(table, place, states);
  return state ? { ...place, stateColumn: state } : { ...place, sharedNames };
}

/**
 * The column whose cells are all names of upper-level areas or, if `place` is given, their codes.
 * @param place the column of lower-level areas, which is not considered
 */
export function findStateColumn(
  table: TextTable,
  place: PlaceKey | null,
  { codes, codeFinder }: AreaLevel,
): { state?: string; state_pcode?: string } {
  const columns = [...candidateColumns(table.header, 'state'), ...table.header].filter(
    (column) => column !== place?.column,
  );
  const findColumn = (makeMatcher: (cells: ReadonlySet<string>) => (cell: string) => unknown) =>
    columns.find((column) => {
      const cells = new Set(filledCells(table, column));
      return cells.size > 0 && [...cells].every(makeMatcher(cells));
    });
  const state_pcode = place && findColumn(() => (cell) => codes.has(cell));
  if (state_pcode) return { state_pcode };
  const state = findColumn(codeFinder);
  return state ? { state } : {};
}

/** The project's name of the column in a catalog entry. */
export const placeColumnName = ({ kind, codeByName }: PlaceKey): 'lga' | 'state' | PlaceKey['kind'] =>
  codeByName === null || kind === 'facility' ? kind : kind === 'lga_pcode' ? 'lga' : 'state';

/** The columns that give the times of a table's rows. */
export interface TimeKey {
  columns: { period: string } | { year: string; month: string } | { year: string };
  /** Whether times are months, not years. */
  isMonthly: boolean;
  monthOrder: MonthOrder | undefined;
  /** The time of each row, `YYYY-MM` or `YYYY`. */
  times: readonly string[];
  /** Other orders of day and month in which the dates can be read. */
  otherOrders?: readonly MonthOrder[];
}

export const isMonthlyTime = (time: TimeKey | string): time is TimeKey => typeof time !== 'string' && time.isMonthly;

/**
 * The times of a table's rows, or why they cannot be read.
 * @param excluded columns that are something else
 * @param sortOrders puts the likeliest order first if day and month cannot be told apart; without it they are not read
 */
export function findTimeColumn(
  table: TextTable,
  excluded: readonly string[],
  sortOrders?: (orders: readonly MonthOrder[], cells: readonly string[]) => MonthOrder[],
): TimeKey | string {
  const header = table.header.filter((column) => !excluded.includes(column));
  const namedColumns = candidateColumns(header, 'period');
  const otherColumns = header.filter((column) => !namedColumns.includes(column));
  let obstacle = 'without a column of months';
  for (const column of [...namedColumns, ...otherColumns]) {
    const cells = filledCells(table, column);
    // Plain numbers are months only under a name of months.
    if (otherColumns.includes(column) && cells.every((cell) => /^\d+$/.test(cell))) continue;
    const orders = sortOrders ? dateOrders(cells) : monthOrders(cells);
    // The project's own form has no order (undefined).
    const namedOrders = orders.filter((order) => order !== undefined);
    const [monthOrder, ...otherOrders] =
      namedOrders.length > 1 && sortOrders ? sortOrders(namedOrders, cells) : namedOrders;
    if (orders.length === 1 || (orders.length > 1 && sortOrders)) {
      const times = cellsByRow(table, column).map((cell) => readMonth(cell ?? '', monthOrder) ?? '');
      const timeKey = { columns: { period: column }, isMonthly: true, monthOrder, times };
      return otherOrders.length > 0 ? { ...timeKey, otherOrders } : timeKey;
    }
    if (orders.length > 1)
      obstacle = `day and month of "${cells[0]}" in "${column}" cannot be told apart; write months as YYYY-MM`;
    else if (namedColumns.includes(column) && cells.length > 0 && !cells.every((cell) => readMonthOfYear(cell)))
      obstacle = `"${unreadMonth(cells)}" in "${column}" is no month that is read; write months as YYYY-MM`;
  }
  const isColumn = (column: string, matches: (cell: string) => boolean) =>
    filledCells(table, column).length > 0 && filledCells(table, column).every(matches);
  const yearColumn = candidateColumns(header, 'year').find((column) =>
    isColumn(column, (cell) => /^(19|20)\d\d$/.test(cell)),
  );
  if (!yearColumn) {
    const otherForm = describeWeeks(table, header) ?? describeFiscalYears(table, header);
    if (otherForm) return otherForm;
    const hasMonths = candidateColumns(header, 'month').some((column) =>
      isColumn(column, (cell) => readMonthOfYear(cell) !== null),
    );
    return hasMonths ? 'months without their year, in a column, in the name of the file or in a title' : obstacle;
  }
  const monthColumn = candidateColumns(header, 'month').find((column) =>
    isColumn(column, (cell) => readMonthOfYear(cell) !== null),
  );
  const years = cellsByRow(table, yearColumn).map((cell) => cell ?? '');
  if (!monthColumn) return { columns: { year: yearColumn }, isMonthly: false, monthOrder: undefined, times: years };
  const months = cellsByRow(table, monthColumn).map((cell) => readMonthOfYear(cell ?? ''));
  const times = years.map((year, row) => `${year}-${months[row]?.padStart(2, '0')}`);
  return { columns: { year: yearColumn, month: monthColumn }, isMonthly: true, monthOrder: undefined, times };
}

/** Of weeks, more have numbers above 12; of months with a slip, fewer. */
const LEAST_SHARE_ABOVE_12 = 0.1;

/** A column of weeks, which are not read; null if there is none. */
function describeWeeks(table: TextTable, header: readonly string[]): string | null {
  const weekOf = (cell: string) => {
    const parts = /^(?:19|20)\d\d(?:-?W([1-9])|-?W?(0[1-9]|[1-4]\d|5[0-3]))$/i.exec(cell);
    return Number(parts?.[1] ?? parts?.[2] ?? 0);
  };
  const column = header.find((name) => {
    const weeks = filledCells(table, name).map(weekOf);
    return (
      weeks.every((week) => week > 0) && weeks.filter((week) => week > 12).length > LEAST_SHARE_ABOVE_12 * weeks.length
    );
  });
  if (column === undefined) return null;
  const week = filledCells(table, column).find((cell) => weekOf(cell) > 12)!;
  return `"${column}" has weeks, such as ${week} for week ${weekOf(week)}, and only months are read; add up the weeks of each month, those across two months by their days, and write months as YYYY-MM`;
}

/** Fiscal years with the number of the month within the year, which are not read; null if there are none. */
function describeFiscalYears(table: TextTable, header: readonly string[]): string | null {
  const isFiscalYear = (cell: string) => {
    const [, first, second] = /^((?:19|20)\d\d) ?[/-] ?(\d{2,4})$/.exec(cell) ?? [];
    return first !== undefined && String(Number(first) + 1).endsWith(second!);
  };
  const isMonthNumber = (cell: string) => /^\d+$/.test(cell) && readMonthOfYear(cell) !== null;
  const findColumn = (isMatch: (cell: string) => boolean) =>
    header.find((name) => filledCells(table, name).length > 0 && filledCells(table, name).every(isMatch));
  const [year, month] = [findColumn(isFiscalYear), findColumn(isMonthNumber)];
  if (year === undefined || month === undefined) return null;
  const [years, months] = [year, month].map((name) => filledCells(table, name)) as [string[], string[]];
  const [firstYear] = years.toSorted();
  const firstMonth = Math.min(...months.filter((_, row) => years[row] === firstYear).map(Number));
  // A record that begins in the middle of its fiscal year probably begins in January.
  const start = new Date(Date.UTC(2000, (13 - firstMonth) % 12)).toLocaleString('en', {
    month: 'long',
    timeZone: 'UTC',
  });
  const guess = firstMonth === 1 ? '' : `: ${start}, if the record begins in January`;
  return `"${year}" has fiscal years, and "${month}" the number of the month in them, from ${firstMonth} of ${firstYear} on; say which month of the calendar is 1${guess}, and write months as YYYY-MM`;
}

/** The first and the last of some months, without those that are mistyped. */
export const monthSpan = (times: readonly string[]): NonNullable<Source['span']> =>
  coherentSpan(times.filter(isPeriod), 'months');
