/**
 * The columns of a table that say where and when: areas by their codes or names, months in any order of their parts.
 */
import type { MonthOrder } from '../../catalog/dialect.ts';
import type { Source } from '../../catalog/sources.ts';
import { isPeriod } from '../../contract/months.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { dateOrders, monthOrders, readMonth, readMonthOfYear } from '../../ingest/readers/months.ts';
import { plainName, sharedWords, splitWords, withoutWords } from '../../lib/name-similarity.ts';
import { columnMatching, columnsNamed, filledCells } from '../columns.ts';

/** A level's codes and names. */
export interface AreaLevel {
  codes: ReadonlySet<string>;
  /** The upper-level area of each code, as far as the files tell. */
  parents: ReadonlyMap<string, string | null>;
  /** The code that each of some names means, as the ingest matches them: undefined for none, null for several. */
  codeFinder(names: Iterable<string>): (name: string) => string | null | undefined;
}

export function areaLevel(areas: readonly { code: string; name: string; parent?: string | null }[]): AreaLevel {
  const by = (form: (name: string) => string) => {
    const byName = Map.groupBy(areas, ({ name }) => form(name));
    return new Map([...byName].map(([name, namesakes]) => [name, namesakes.length === 1 ? namesakes[0]!.code : null]));
  };
  const [whole, bare] = [by(plainName), by(withoutWords(sharedWords(areas.map(({ name }) => name))))];
  return {
    codes: new Set(areas.map(({ code }) => code)),
    parents: new Map(areas.map(({ code, parent = null }) => [code, parent])),
    codeFinder: (names) => {
      const bareName = withoutWords(sharedWords(names));
      return (name) =>
        whole.get(plainName(name)) ?? bare.get(bareName(name)) ?? whole.get(longestRun(name, whole) ?? '');
    },
  };
}

/** The longest run of a name's words that is a name by itself, as in `ce Chibombo District`; null if none is. */
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
  /** The code of each name in the column that only one area has, if it has names. */
  codes: Record<string, string> | null;
  /** The column of the upper-level areas, where some names are those of several areas: without it, no key. */
  within?: string;
  /** Such names in a table that has no such column. */
  shared?: readonly string[];
  /** The column that names the facilities of the areas, if its rows are these. */
  facility?: string;
}

/**
 * The column with the areas' codes or else their names, alone or among other words; null if none. Only the draft takes
 * a name among other words: the ingest asks for it to be accepted.
 */
export function findPlaceColumn(table: TextTable, { lgas, states }: AreaCodes): PlaceKey | null {
  const ofLevel = (kind: 'lga_pcode' | 'state_pcode', { codes, codeFinder }: AreaLevel): PlaceKey | null => {
    const coded = columnMatching(table, () => (cell) => codes.has(cell));
    // Codes that are names without accents: a column of these names has some of the codes too.
    const isOfNames = (column: string) => {
      const cells = new Set(filledCells(table, column));
      const findCode = codeFinder(cells);
      return [...cells].some((cell) => !codes.has(cell) && findCode(cell) !== undefined);
    };
    if (coded && !isOfNames(coded)) return { kind, column: coded, codes: null };
    const named = columnMatching(table, (cells) => {
      const findCode = codeFinder(cells);
      return (cell) => findCode(cell) !== undefined;
    });
    if (!named) return null;
    const cells = [...new Set(filledCells(table, named))].sort();
    const findCode = codeFinder(cells);
    const byName = cells.flatMap((cell): [string, string][] => {
      const code = findCode(cell);
      return code ? [[cell, code]] : [];
    });
    return { kind, column: named, codes: Object.fromEntries(byName) };
  };
  const place = ofLevel('lga_pcode', lgas);
  if (!place) return ofLevel('state_pcode', states);
  const cells = new Set(place.codes ? filledCells(table, place.column) : []);
  const shared = [...cells].filter((cell) => lgas.codeFinder(cells)(cell) === null);
  if (shared.length === 0) return place;
  const { state_pcode, state = state_pcode } = stateIn(table, place, states);
  return state ? { ...place, within: state } : { ...place, shared };
}

/**
 * The column whose cells are all names of areas of the upper level, or their codes in a table of areas, with which a
 * place of the lower level is compared.
 */
export function stateIn(
  table: TextTable,
  within: PlaceKey | null,
  { codes, codeFinder }: AreaLevel,
): { state?: string; state_pcode?: string } {
  const columns = [...columnsNamed(table.header, 'state'), ...table.header].filter(
    (column) => column !== within?.column,
  );
  const all = (fits: (cells: ReadonlySet<string>) => (cell: string) => unknown) =>
    columns.find((column) => {
      const cells = new Set(filledCells(table, column));
      return cells.size > 0 && [...cells].every(fits(cells));
    });
  const state_pcode = within && all(() => (cell) => codes.has(cell));
  if (state_pcode) return { state_pcode };
  const state = all(codeFinder);
  return state ? { state } : {};
}

/** What an entry calls the column. */
export const placeColumnName = ({ kind, codes }: PlaceKey): 'lga' | 'state' | PlaceKey['kind'] =>
  codes === null || kind === 'facility' ? kind : kind === 'lga_pcode' ? 'lga' : 'state';

/** The columns that give the times of a table's rows. */
export interface TimeKey {
  columns: { period: string } | { year: string; month: string } | { year: string };
  /** Whether times are months, not years. */
  monthly: boolean;
  months: MonthOrder | undefined;
  /** The time of each row, `YYYY-MM` or `YYYY`. */
  times: readonly string[];
  /** Other orders in which days and months can be read as well. */
  alternatives?: readonly MonthOrder[];
}

/**
 * The times of a table's rows, or why they cannot be read.
 * @param except columns that are something else
 * @param sort puts the likeliest order first where day and month cannot be told apart; by default these are not read
 */
export function findTimeColumn(
  table: TextTable,
  except: readonly string[],
  sort?: (orders: readonly MonthOrder[], cells: readonly string[]) => MonthOrder[],
): TimeKey | string {
  const header = table.header.filter((column) => !except.includes(column));
  const columnIndex = (column: string) => table.header.indexOf(column);
  const named = columnsNamed(header, 'period');
  const unnamed = header.filter((column) => !named.includes(column));
  let obstacle = 'without a column of months';
  for (const column of [...named, ...unnamed]) {
    const cells = filledCells(table, column);
    // Plain numbers are months only under a name of months.
    if (unnamed.includes(column) && cells.every((cell) => /^\d+$/.test(cell))) continue;
    const orders = sort ? dateOrders(cells) : monthOrders(cells);
    // The project's own form is no order, and the only one where it is read.
    const several = orders.filter((order) => order !== undefined);
    const [months, ...rest] = several.length > 1 && sort ? sort(several, cells) : several;
    if (orders.length === 1 || (orders.length > 1 && sort)) {
      const times = table.rows.map(
        ({ cells: rowCells }) => readMonth(rowCells[columnIndex(column)] ?? '', months) ?? '',
      );
      const key = { columns: { period: column }, monthly: true, months, times };
      return rest.length > 0 ? { ...key, alternatives: rest } : key;
    }
    if (orders.length > 1)
      obstacle = `day and month of "${cells[0]}" in "${column}" cannot be told apart; write months as YYYY-MM`;
    else if (named.includes(column) && cells.length > 0 && !cells.every((cell) => readMonthOfYear(cell)))
      obstacle = `"${cells.find((cell) => !readMonth(cell))}" in "${column}" is no month that is read; write months as YYYY-MM`;
  }
  const isColumn = (column: string, fits: (cell: string) => boolean) =>
    filledCells(table, column).length > 0 && filledCells(table, column).every(fits);
  const year = columnsNamed(header, 'year').find((column) => isColumn(column, (cell) => /^(19|20)\d\d$/.test(cell)));
  if (!year) {
    const months = columnsNamed(header, 'month').some((column) =>
      isColumn(column, (cell) => readMonthOfYear(cell) !== null),
    );
    return months ? 'months without their year, in a column, in the name of the file or in a title' : obstacle;
  }
  const month = columnsNamed(header, 'month').find((column) =>
    isColumn(column, (cell) => readMonthOfYear(cell) !== null),
  );
  const years = table.rows.map(({ cells }) => cells[columnIndex(year)] ?? '');
  if (!month) return { columns: { year }, monthly: false, months: undefined, times: years };
  const times = table.rows.map(({ cells }, i) => {
    const number = readMonthOfYear(cells[columnIndex(month)] ?? '');
    return `${years[i]}-${number?.padStart(2, '0')}`;
  });
  return { columns: { year, month }, monthly: true, months: undefined, times };
}

/** The first and the last of some months. */
export function monthSpan(times: readonly string[]): NonNullable<Source['span']> {
  const months = times.filter(isPeriod).sort();
  return { first: months[0]!, last: months.at(-1)! };
}
