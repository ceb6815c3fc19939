/** Compares two releases of a table, row by row. */
import type { Period } from '../../contract/months.ts';
import { addMonths, monthOf } from '../../contract/months.ts';
import { rankCorrelation } from '../../lib/numerics/rank-correlation.ts';
import { type Distribution, distributionOf, medianOf, monthsBetween, phaseOf } from './statistics.ts';

/** A row of a table: its key, place and time, and its numbers. */
export interface ComparedRow {
  key: string;
  /** P-code of its LGA, or of its state if it names no LGA. */
  place: string;
  state: string;
  /** A survey's round and method, or a year. */
  group: string;
  period: Period | null;
  numbers: Readonly<Record<string, number | null>>;
}

/** The sums over a set of rows in both releases. */
export interface SumChange {
  column: string;
  of: string;
  rows: number;
  was: number;
  is: number;
}

export interface PlaceAgreement {
  column: string;
  places: number;
  /** Between the places' means then and now. */
  rank_correlation: number | null;
  /** The lowest within a state, over states with at least `LEAST_PLACES`. */
  lowest_state: { state: string; rank_correlation: number } | null;
  /** Values that were missing and are now 0. */
  zeroed: number;
  /** Values that were known and are now missing. */
  blanked: number;
  /** Shift of the seasonal cycle in months, median over places; null without monthly data. */
  months_shifted: number | null;
}

/** A set of rows in both releases, and how many of them have changed. */
export interface Rewritten {
  of: string;
  rows: number;
  changed: number;
}

export interface RowComparison {
  rows: { was: number; is: number; added: number; removed: number; changed: number };
  /** Keys of some of these rows. */
  examples: { added: string[]; removed: string[]; changed: string[] };
  columns: { column: string; was: Distribution; is: Distribution }[];
  by_state: SumChange[];
  by_group: SumChange[];
  /** Places whose sums have changed. */
  by_place: SumChange[];
  /** Sums by month, over rows in both. */
  by_month: SumChange[];
  /** Places, and states within a group, most of whose rows have changed. */
  rewritten: { places: Rewritten[]; groups: Rewritten[] };
  places: PlaceAgreement[];
  /** Added months compared with the earlier averages of the same places and months of the year. */
  added_months: SumChange[];
  added_places: PlaceAgreement[];
  /** For each added month and each of the twelve before it: how many of the figures above 0 are equal. */
  repeated: { column: string; period: Period; of: Period; rows: number; same: number }[];
  /** Added figures above the previous maximum of their place, if it had at least a year of figures. */
  highest: { column: string; place: string; period: Period; most: number; is: number }[];
  /** Number of places that report, by added month, and in the last month before. */
  reporting: { period: Period; places: number; before: number }[];
}

/** Minimum number of rows of a set that is checked for rewriting: in a smaller one, most may be corrected. */
export const LEAST_RECORD = 10;
const EXAMPLES = 5;
/** Minimum number of places whose order is compared: fewer have no meaningful order. */
export const LEAST_PLACES = 10;

export function compareRows(before: readonly ComparedRow[], after: readonly ComparedRow[]): RowComparison {
  const then = new Map(before.map((row) => [row.key, row]));
  const now = new Map(after.map((row) => [row.key, row]));
  const columns = [...new Set([...before, ...after].flatMap(({ numbers }) => Object.keys(numbers)))];
  const pairs = after.flatMap((is) => {
    const was = then.get(is.key);
    return was ? [{ was, is }] : [];
  });
  const added = after.filter(({ key }) => !then.has(key));
  const removed = before.filter(({ key }) => !now.has(key));
  const againstUsual = pairWithUsual(before, added, columns);
  const isChanged = ({ was, is }: Pair) =>
    was.place !== is.place || columns.some((name) => was.numbers[name] !== is.numbers[name]);
  const changed = pairs.filter(isChanged);
  const keysOf = (rows: readonly { key: string }[]) => rows.slice(0, EXAMPLES).map(({ key }) => key);
  return {
    rows: {
      was: before.length,
      is: after.length,
      added: added.length,
      removed: removed.length,
      changed: changed.length,
    },
    examples: { added: keysOf(added), removed: keysOf(removed), changed: keysOf(changed.map(({ is }) => is)) },
    columns: columns.map((column) => ({
      column,
      was: distributionOf(before.map(({ numbers }) => numbers[column] ?? null)),
      is: distributionOf(after.map(({ numbers }) => numbers[column] ?? null)),
    })),
    by_state: columns.flatMap((column) => sumsOf(pairs, column, ({ state }) => state)),
    by_group: columns.flatMap((column) => [
      ...sumsOf(pairs, column, () => 'all rows'),
      ...sumsOf(pairs, column, ({ group }) => group),
    ]),
    by_place: columns
      .flatMap((column) => sumsOf(pairs, column, ({ place }) => place))
      .filter(({ was, is }) => was !== is),
    by_month: columns.flatMap((column) => sumsOf(pairs, column, ({ period }) => period ?? '')),
    rewritten: {
      places: rewrittenBy(pairs, isChanged, ({ place }) => place),
      groups: rewrittenBy(pairs, isChanged, ({ state, group }) => (state && group ? `${state} in ${group}` : '')),
    },
    places: columns.map((column) => agreementOf(pairs, column)),
    added_months: columns.flatMap((column) => sumsOf(againstUsual, column, ({ state }) => `added months of ${state}`)),
    added_places: columns.map((column) => agreementOf(againstUsual, column)),
    repeated: columns.flatMap((column) => repeatedIn(now, added, column)),
    highest: columns.flatMap((column) => highestOf(before, added, column)),
    reporting: reportingOf(before, added),
  };
}

interface Pair {
  was: ComparedRow;
  is: ComparedRow;
}

/** The two values; null if either is missing. */
const both = ({ was, is }: Pair, column: string): [number, number] | null => {
  const [a, b] = [was.numbers[column], is.numbers[column]];
  return a == null || b == null ? null : [a, b];
};

function sumsOf(pairs: readonly Pair[], column: string, groupOf: (row: ComparedRow) => string): SumChange[] {
  return [...Map.groupBy(pairs, ({ is }) => groupOf(is))]
    .filter(([of]) => of !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([of, own]) => {
      const known = own.map((pair) => both(pair, column)).filter((values) => values !== null);
      const sum = (which: 0 | 1) => known.reduce((total, values) => total + values[which], 0);
      return { column, of, rows: known.length, was: sum(0), is: sum(1) };
    });
}

/** The sets of rows most of which have changed. */
function rewrittenBy(
  pairs: readonly Pair[],
  isChanged: (pair: Pair) => boolean,
  nameOf: (row: ComparedRow) => string,
): Rewritten[] {
  return [...Map.groupBy(pairs, ({ is }) => nameOf(is))]
    .map(([of, own]) => ({ of, rows: own.length, changed: own.filter(isChanged).length }))
    .filter(({ of, rows, changed }) => of !== '' && rows >= LEAST_RECORD && changed > rows / 2);
}

function agreementOf(pairs: readonly Pair[], column: string): PlaceAgreement {
  const means: { state: string; was: number; is: number }[] = [];
  const shifts: number[] = [];
  for (const own of Map.groupBy(pairs, ({ is }) => is.place).values()) {
    const known = own.flatMap((pair) => {
      const values = both(pair, column);
      return values ? [{ period: pair.is.period, values }] : [];
    });
    if (known.length === 0) continue;
    const mean = (which: 0 | 1) => known.reduce((sum, { values }) => sum + values[which], 0) / known.length;
    means.push({ state: own[0]!.is.state, was: mean(0), is: mean(1) });
    const [was, is] = ([0, 1] as const).map((which) =>
      phaseOf(meansByMonth(known.map(({ period, values }) => [period, values[which]]))),
    );
    if (was != null && is != null) shifts.push(monthsBetween(was, is));
  }
  const correlationOf = (some: typeof means) =>
    rankCorrelation(
      some.map(({ was }) => was),
      some.map(({ is }) => is),
    );
  const states = [...Map.groupBy(means, ({ state }) => state)].flatMap(([state, some]) => {
    const rank_correlation = some.length < LEAST_PLACES ? null : correlationOf(some);
    return rank_correlation === null ? [] : [{ state, rank_correlation }];
  });
  const count = (matches: (was: number | null, is: number | null) => boolean) =>
    pairs.filter(({ was, is }) => matches(was.numbers[column] ?? null, is.numbers[column] ?? null)).length;
  return {
    column,
    places: means.length,
    rank_correlation: correlationOf(means),
    lowest_state: states.toSorted((a, b) => a.rank_correlation - b.rank_correlation)[0] ?? null,
    zeroed: count((was, is) => was === null && is === 0),
    blanked: count((was, is) => was !== null && is === null),
    months_shifted: medianOf(shifts),
  };
}

/** Means of January to December; empty if a month of the year is missing. */
function meansByMonth(values: readonly (readonly [Period | null, number])[]): number[] {
  const sums = Array.from({ length: 12 }, () => ({ n: 0, sum: 0 }));
  for (const [period, value] of values) {
    if (period === null) return [];
    const month = sums[monthOf(period) - 1]!;
    month.n += 1;
    month.sum += value;
  }
  return sums.some(({ n }) => n === 0) ? [] : sums.map(({ n, sum }) => sum / n);
}

/** Each added monthly row paired with the earlier average of its place in that month of the year. */
function pairWithUsual(
  before: readonly ComparedRow[],
  added: readonly ComparedRow[],
  columns: readonly string[],
): Pair[] {
  const keyOf = ({ place, period }: ComparedRow) => `${place} ${monthOf(period!)}`;
  const usual = Map.groupBy(
    before.filter(({ period }) => period !== null),
    keyOf,
  );
  const mean = (rows: readonly ComparedRow[], column: string) => {
    const known = rows.map(({ numbers }) => numbers[column] ?? null).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((a, b) => a + b) / known.length;
  };
  return added.flatMap((is) => {
    const rows = is.period === null ? undefined : usual.get(keyOf(is));
    if (!rows) return [];
    return [{ was: { ...is, numbers: Object.fromEntries(columns.map((name) => [name, mean(rows, name)])) }, is }];
  });
}

/** How many months back an added month may have been copied from. */
const PAST_YEAR = Array.from({ length: 12 }, (_, i) => i + 1);

/** Detects a month that was filled in with the figures of another. */
function repeatedIn(
  now: ReadonlyMap<string, ComparedRow>,
  added: readonly ComparedRow[],
  column: string,
): RowComparison['repeated'] {
  const figures = new Map(
    [...now.values()].map(({ place, period, numbers }) => [`${place} ${period}`, numbers[column]]),
  );
  const months = Map.groupBy(
    added.filter(({ period, numbers }) => period !== null && (numbers[column] ?? 0) > 0),
    ({ period }) => period!,
  );
  return [...months]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([period, rows]) =>
      PAST_YEAR.map((back) => {
        const of = addMonths(period, -back);
        const same = rows.filter(({ place, numbers }) => figures.get(`${place} ${of}`) === numbers[column]).length;
        return { column, period, of, rows: rows.length, same };
      }),
    );
}

function highestOf(
  before: readonly ComparedRow[],
  added: readonly ComparedRow[],
  column: string,
): RowComparison['highest'] {
  const known = Map.groupBy(
    before.filter(({ numbers }) => numbers[column] != null),
    ({ place }) => place,
  );
  return added.flatMap(({ place, period, numbers }) => {
    const earlier = (known.get(place) ?? []).map((row) => row.numbers[column]!);
    const most = earlier.reduce((a, b) => Math.max(a, b), 0);
    const is = numbers[column] ?? 0;
    return period !== null && earlier.length >= 12 && is > most ? [{ column, place, period, most, is }] : [];
  });
}

function reportingOf(before: readonly ComparedRow[], added: readonly ComparedRow[]): RowComparison['reporting'] {
  const placesBy = (rows: readonly ComparedRow[]) => {
    const known = rows.filter(({ numbers }) => Object.values(numbers).some((value) => value !== null));
    return Map.groupBy(known, ({ period }) => period);
  };
  const earlier = [...placesBy(before)].flatMap(([period, rows]) => (period === null ? [] : [{ period, rows }]));
  const last = earlier.toSorted((a, b) => (a.period < b.period ? -1 : 1)).at(-1);
  if (!last) return [];
  return [...placesBy(added)]
    .flatMap(([period, rows]) =>
      period === null || period <= last.period
        ? []
        : [{ period, places: new Set(rows.map(({ place }) => place)).size, before: placesIn(last.rows) }],
    )
    .sort((a, b) => (a.period < b.period ? -1 : 1));
}

const placesIn = (rows: readonly ComparedRow[]) => new Set(rows.map(({ place }) => place)).size;
