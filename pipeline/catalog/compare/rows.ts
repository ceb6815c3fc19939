/** Two releases of a table, row by row under their keys. */
import type { Period } from '../../contract/months.ts';
import { monthOf } from '../../contract/months.ts';
import { type Distribution, distributionOf, medianOf, monthsBetween, phaseOf, rankCorrelation } from './statistics.ts';

/** A row of a table: what tells it from the others, where and when it is of, and its numbers. */
export interface ComparedRow {
  key: string;
  /** P-code of its LGA, or of its state where it names no LGA. */
  place: string;
  state: string;
  /** What it belongs to besides: a survey's round and method, a year. */
  group: string;
  period: Period | null;
  numbers: Readonly<Record<string, number | null>>;
}

/** A set of rows that both releases have: its sums, and how many times the older one's the newer one's is. */
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
  /** By how many months the year's rhythm has moved; the middle of places. Null for what is not monthly. */
  months_shifted: number | null;
}

export interface RowComparison {
  rows: { was: number; is: number; added: number; removed: number; changed: number };
  /** Keys of some of them. */
  examples: { added: string[]; removed: string[]; changed: string[] };
  columns: { column: string; was: Distribution; is: Distribution }[];
  by_state: SumChange[];
  by_group: SumChange[];
  places: PlaceAgreement[];
  /** Sums of added months by state, beside what the same months of the year had on average before. */
  added_months: (SumChange & { state: string })[];
  /** Places that report by added month, and by the last month before. */
  reporting: { period: Period; places: number; before: number }[];
}

const EXAMPLES = 5;

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
  const changed = pairs.filter(({ was, is }) => columns.some((name) => was.numbers[name] !== is.numbers[name]));
  const keysOf = (rows: readonly { key: string }[]) => rows.slice(0, EXAMPLES).map(({ key }) => key);
  return {
    rows: {
      ...{ was: before.length, is: after.length },
      ...{ added: added.length, removed: removed.length, changed: changed.length },
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
    places: columns.map((column) => agreementOf(pairs, column)),
    added_months: columns.flatMap((column) => addedMonths(before, added, column)),
    reporting: reportingOf(before, added),
  };
}

interface Pair {
  was: ComparedRow;
  is: ComparedRow;
}

/** Values that both rows have. */
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

function agreementOf(pairs: readonly Pair[], column: string): PlaceAgreement {
  const means: [number, number][] = [];
  const shifts: number[] = [];
  for (const own of Map.groupBy(pairs, ({ is }) => is.place).values()) {
    const known = own.flatMap((pair) => {
      const values = both(pair, column);
      return values ? [{ period: pair.is.period, values }] : [];
    });
    if (known.length === 0) continue;
    const mean = (which: 0 | 1) => known.reduce((sum, { values }) => sum + values[which], 0) / known.length;
    means.push([mean(0), mean(1)]);
    const [was, is] = ([0, 1] as const).map((which) =>
      phaseOf(meansByMonth(known.map(({ period, values }) => [period, values[which]]))),
    );
    if (was != null && is != null) shifts.push(monthsBetween(was, is));
  }
  return {
    column,
    places: means.length,
    rank_correlation: rankCorrelation(
      means.map(([was]) => was),
      means.map(([, is]) => is),
    ),
    months_shifted: medianOf(shifts),
  };
}

/** Means of January to December; of nothing where a month of the year is not there. */
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

function addedMonths(before: readonly ComparedRow[], added: readonly ComparedRow[], column: string) {
  const usual = new Map<string, { n: number; sum: number }>();
  for (const { place, period, numbers } of before) {
    const value = numbers[column];
    if (period === null || value == null) continue;
    const key = `${place} ${monthOf(period)}`;
    const known = usual.get(key) ?? { n: 0, sum: 0 };
    usual.set(key, { n: known.n + 1, sum: known.sum + value });
  }
  const sums = new Map<string, SumChange & { state: string }>();
  for (const { place, state, period, numbers } of added) {
    const value = numbers[column];
    const known = period === null ? undefined : usual.get(`${place} ${monthOf(period)}`);
    if (value == null || known === undefined) continue;
    const sum = sums.get(state) ?? { column, of: `${state}, added months`, state, rows: 0, was: 0, is: 0 };
    sums.set(state, {
      ...sum,
      rows: sum.rows + 1,
      was: sum.was + known.sum / known.n,
      is: sum.is + value,
    });
  }
  return [...sums.values()].sort((a, b) => (a.state < b.state ? -1 : 1));
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
