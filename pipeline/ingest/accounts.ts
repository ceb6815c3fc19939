/**
 * The account of every number that a file of a table delivered: how much of it is taken as which figure, and how much
 * is left out by which rule. Counts that are published are what is delivered without what is left out, exactly.
 */
import { yearOfPeople } from '../catalog/roles.ts';
import type { AccountRow } from './ingest-tables.ts';
import { type Delivery, yearInName } from './readers/delivery.ts';

/** The columns that any source takes, by file: one file may have several roles. */
export const usedColumnKeys = (deliveries: readonly Delivery[]): ReadonlySet<string> =>
  new Set(
    deliveries.flatMap(({ file, columns }) =>
      columns.flatMap(({ column, figure, isKey }) => (figure !== null || isKey ? [`${file}\n${column}`] : [])),
    ),
  );

type Fate = Pick<AccountRow, 'fate' | 'reason'>;
type FateCounts = Omit<AccountRow, 'source' | 'file' | 'column' | 'people'>;
type RowTime = Pick<AccountRow, 'year'> & Partial<Pick<AccountRow, 'period'>>;

/** Per file, in the order of reading, its rows and then its columns; years and fates in ascending order. */
export function accountForDeliveries(allDeliveries: readonly Delivery[]): AccountRow[] {
  // A list of facilities is read with every table that needs it.
  const isSameFile = (a: Delivery) => (b: Delivery) => a.source === b.source && a.file === b.file;
  const deliveries = allDeliveries.filter((delivery, i) => allDeliveries.findIndex(isSameFile(delivery)) === i);
  const usedKeys = usedColumnKeys(deliveries);
  return deliveries.flatMap((delivery, i) => {
    const { source, file, rows, columns, people } = delivery;
    const isFirst = deliveries.findIndex((sameFile) => sameFile.file === file) === i;
    const sharedFields = { source, file, people: null };
    const rowCounts = countByFate(
      rows.map(({ year, period, key }) => ({ year, period, fate: { fate: 'key', reason: key }, value: 1 })),
    );
    return [
      ...rowCounts.map((row): AccountRow => ({ ...row, ...sharedFields, column: null, sum: null })),
      ...columns.flatMap(({ column, figure, isKey, reason, numbers }): AccountRow[] => {
        const isUnused = !usedKeys.has(`${file}\n${column}`);
        if (figure === null && !isKey && !(isUnused && isFirst)) return [];
        const firstColumn = columns.find((other) => other.figure === figure)!.column;
        const columnYear = yearInName(column);
        const entries = rows.flatMap(({ year: rowYear, leftOutBy, adjustments }, row) => {
          const year = rowYear ?? columnYear;
          const taken: Fate = { fate: 'taken', reason: figure };
          const fate: Fate = isKey
            ? { fate: 'key', reason: figure }
            : isUnused
              ? { fate: reason === null ? 'unused' : 'left out', reason }
              : leftOutBy === null
                ? taken
                : { fate: 'left out', reason: leftOutBy };
          const columnAdjustments = column === firstColumn ? adjustments.filter((one) => one.figure === figure) : [];
          return [
            { year, fate, value: numbers[row]! },
            ...columnAdjustments.flatMap(({ rule, amount }) => [
              { year, fate, value: amount, isAdded: true },
              { year, fate: { fate: 'left out' as const, reason: rule }, value: -amount, isAdded: true },
            ]),
          ];
        });
        return countByFate(entries).map((row) => ({
          ...row,
          ...sharedFields,
          column,
          sum: isKey ? null : row.sum,
          people: (row.fate === 'taken' && row.year !== null && people?.get(row.year)) || null,
        }));
      }),
    ];
  });
}

/** @param entries those that are added by a rule are no cells of the file */
function countByFate(entries: readonly (RowTime & { fate: Fate; value: number; isAdded?: boolean })[]): FateCounts[] {
  const groups = new Map<string, FateCounts & { sum: number }>();
  for (const { year, period = null, fate, value, isAdded = false } of entries) {
    const id = `${period ?? year ?? ''}\n${fate.fate}\n${fate.reason}`;
    const counts = { numbers: 0, blank: 0, text: 0, zero: 0, negative: 0, fractional: 0, sum: 0 };
    const group = groups.get(id) ?? { year, period, ...fate, ...counts };
    groups.set(id, group);
    if (Number.isFinite(value)) group.sum += value;
    if (isAdded) continue;
    if (Number.isNaN(value)) group.blank += 1;
    else if (!Number.isFinite(value)) group.text += 1;
    else {
      group.numbers += 1;
      if (value === 0) group.zero += 1;
      if (value < 0) group.negative += 1;
      if (!Number.isInteger(value)) group.fractional += 1;
    }
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** Figures that are counts, and what a reader calls them. */
export const COUNT_NOUNS: Readonly<Record<string, string>> = {
  confirmed: 'cases',
  people: 'people',
  examined: 'children examined',
};

/** People of a year, `people_2015`, are people. */
const figureIn = (reason: string | null) => (reason !== null && yearOfPeople(reason) !== null ? 'people' : reason);

const formatWhole = (value: number) => Math.round(value).toLocaleString('en-US');

/**
 * The first page of an account, a line for each count of a source, as somebody would hold it against an annual report:
 * `cases.csv: cases read: 2021 1,234,567 (88 per 1,000 people), 2022 …`; then the columns that are not used.
 */
export function summarizeAccounts(accounts: readonly AccountRow[]): string[] {
  const sources = [...Map.groupBy(accounts, ({ source }) => source).values()];
  return sources.flatMap((sourceRows) => {
    const files = [...new Set(sourceRows.map(({ file }) => file))].join(', ');
    const fileRows = sourceRows.filter(({ column }) => column === null);
    const lines = Object.entries(COUNT_NOUNS).flatMap(([figure, what]) => {
      const takenCounts = sourceRows.filter(({ fate, reason }) => fate === 'taken' && figureIn(reason) === figure);
      if (takenCounts.length === 0) return [];
      const columns = new Set(takenCounts.map(({ column }) => column));
      const leftOut = sourceRows.filter(({ fate, column }) => fate === 'left out' && columns.has(column));
      return [
        [
          `${files}: ${what} read: ${describeSums(takenCounts, ({ year }) => year ?? '')}`,
          ...(leftOut.length > 0 ? [`left out by rule: ${describeSums(leftOut, ({ reason }) => reason!)}`] : []),
          ...describeRows(fileRows, figure === 'confirmed'),
        ].join('; '),
      ];
    });
    const unusedColumns = [...new Set(sourceRows.flatMap(({ fate, column }) => (fate === 'unused' ? [column!] : [])))];
    return lines.length > 0 && unusedColumns.length > 0
      ? [...lines, `${files}: columns of numbers that are not used: ${unusedColumns.join(', ')}`]
      : lines;
  });
}

/** Rows by the columns that tell them apart, those of cases by month: if more places report, cases may not be more. */
const describeRows = (fileRows: readonly AccountRow[], isMonthly: boolean) =>
  [...Map.groupBy(fileRows, ({ reason }) => reason)].map(([key, keyRows]) => {
    const text = `${formatWhole(keyRows.reduce((sum, { numbers }) => sum + numbers, 0))} rows, told apart by ${key || 'nothing'}`;
    const months = keyRows.flatMap(({ period, numbers }) => (period === null ? [] : { period, numbers }));
    if (!isMonthly || months.length === 0) return text;
    const [fewest, most] = [Math.min, Math.max].map((extreme) => extreme(...months.map(({ numbers }) => numbers)));
    const firstWith = (count: number | undefined) =>
      `${formatWhole(count!)} (${months.find(({ numbers }) => numbers === count)!.period})`;
    return fewest === most
      ? `${text}, ${formatWhole(most!)} in each month`
      : `${text}, ${firstWith(fewest)} to ${firstWith(most)} in a month`;
  });

/** Sums by year or rule, those of a year per 1,000 people if they are known. */
const describeSums = (rows: readonly AccountRow[], groupKey: (row: AccountRow) => string | number) =>
  [...Map.groupBy(rows, groupKey)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, groupRows]) => {
      const sum = groupRows.reduce((total, row) => total + row.sum!, 0);
      const { people } = groupRows[0]!;
      const perThousand = people === null ? 0 : (1000 * sum) / people;
      const rateText = perThousand < 10 ? perThousand.toFixed(1) : formatWhole(perThousand);
      const rate = people === null ? '' : ` (${rateText} per 1,000 people)`;
      return `${group} ${formatWhole(sum)}${rate}`.trim();
    })
    .join(', ');
