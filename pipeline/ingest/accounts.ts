/**
 * The account of every number that a file of a table delivered: how much of it is taken as which figure, and how much
 * is left out by which rule. Counts that are published are what is delivered without what is left out, exactly.
 */
import { yearOfPeople } from '../catalog/roles.ts';
import type { ReportLine } from '../engine/stage.ts';
import { firstFew } from '../lib/first-few.ts';
import { describeFill, findFillValue } from './fill-values.ts';
import type { AccountRow } from './ingest-tables.ts';
import { findParts, sumNumbers } from './readers/column-sums.ts';
import { type Delivery, yearInName } from './readers/delivery.ts';
import { describeSiblings, findSiblings } from './siblings.ts';

/** The columns that any source takes, by file: one file may have several roles. */
const usedColumnKeys = (deliveries: readonly Delivery[]): ReadonlySet<string> =>
  new Set(
    deliveries.flatMap(({ file, columns }) =>
      columns.flatMap(({ column, figure, isKey }) => (figure !== null || isKey ? [`${file}\n${column}`] : [])),
    ),
  );

const MOST_LABELS_NAMED = 4;

/**
 * What tables make hard to believe before they are read: parts left out, rows of several kinds, values that are none.
 */
export function doubtDeliveries(deliveries: readonly Delivery[]): ReportLine[] {
  const usedKeys = usedColumnKeys(deliveries);
  return [
    ...findUnusedParts(deliveries),
    ...deliveries.flatMap((delivery) =>
      [
        ...describeFills(delivery),
        ...describeTexts(delivery),
        ...describeUnreported(delivery),
        ...describeDays(delivery),
        ...describeChangedSums(delivery),
        ...describeChangedBounds(delivery),
        ...describeWeights(delivery),
        ...describeLabels(delivery, usedKeys),
      ].map((what): ReportLine => ({ source: delivery.source, rule: 'hard to believe', what, needs_approval: true })),
    ),
  ];
}

/** Rows that an unused column of text tells apart may be of several kinds, of which the numbers are not one series. */
const describeLabels = ({ file, labels }: Delivery, usedKeys: ReadonlySet<string>): string[] =>
  labels
    .filter(({ column }) => !usedKeys.has(`${file}\n${column}`))
    .map(({ column, rowsByText }) => {
      const texts = firstFew(
        rowsByText.map(([text, rows]) => `"${text}" in ${rows} rows`),
        MOST_LABELS_NAMED,
      );
      return `${file}: "${column}" is not used, and tells rows apart: ${texts}. Take those of one kind (sources.json, where), or say why they are one (unused)`;
    });

/** Counts that are a number of nines in several rows; of climate, the catalog declares them. */
const describeFills = ({ file, columns }: Delivery): string[] =>
  columns.flatMap(({ column, figure, numbers }) => {
    const fill = COUNT_NOUNS[figure ?? ''] ? findFillValue(numbers) : null;
    return fill ? [`${file}: ${describeFill(fill, column)}. Nines mark missing values: leave these cells blank`] : [];
  });

/** Texts among counts: they stop nothing once their row is left out, but may say what the other numbers are. */
const describeTexts = ({ file, columns }: Delivery): string[] =>
  columns.flatMap(({ column, figure, text }) =>
    text !== null && COUNT_NOUNS[figure ?? '']
      ? [
          `${file}: "${column}" has the text "${text}" among its numbers. If it is their unit, or says what they count, enter the numbers in the unit that is expected: nothing is converted by it`,
        ]
      : [],
  );

/** The earliest last day of a month. */
const EARLIEST_MONTH_END = 28;

/** Cases of a month have one day, or the month's last; other days are those of something else. */
function describeDays({ file, columns, days: dayTexts }: Delivery): string[] {
  const days = [...dayTexts].map(Number).sort((a, b) => a - b);
  if (!columns.some(({ figure }) => figure === 'confirmed') || days.length < 2 || days[0]! >= EARLIEST_MONTH_END)
    return [];
  return [
    `${file}: dates of cases are ${days.length} different days of a month (${days[0]} to ${days.at(-1)}), where monthly cases have one. If reports came in on these days, their month is an earlier one: give each row the month of its cases`,
  ];
}

/** A sum that misses the cases of a year by less may be mistakes of a few rows. */
const LEAST_MISFIT = 0.05;

/** Cases that are the sum of other columns in some years, and not in others: their definition may have changed. */
function describeChangedSums({ file, rows, columns }: Delivery): string[] {
  const rowsByYear = Map.groupBy(rows.keys(), (row) => rows[row]!.year);
  const otherColumns = columns.filter(({ figure, isKey, reason }) => figure === null && !isKey && reason === null);
  return columns.flatMap((total) => {
    if (total.figure !== 'confirmed') return [];
    const years = [...rowsByYear].map(([year, yearRows]) => {
      const inYear = ({ column, numbers }: Delivery['columns'][number]) => {
        const values = yearRows.map((row) => numbers[row]!);
        return { column, numbers: values, sum: sumNumbers(values) };
      };
      return { year, total: inYear(total), others: otherColumns.map(inYear) };
    });
    const parts = years.map((one) => findParts(one.total, one.others)).find((columns) => columns.length > 0) ?? [];
    const names = parts.map(({ column }) => column);
    const listYears = (isListed: (misfit: number) => boolean) =>
      years.flatMap(({ year, total: { sum }, others }) => {
        const sums = others.flatMap((other) => (names.includes(other.column) ? other.sum : []));
        return year !== null && sums.every((part) => part > 0) && isListed(Math.abs(sum / sumNumbers(sums) - 1))
          ? year
          : [];
      });
    const [sumYears, otherYears] = [
      listYears((misfit) => misfit < LEAST_MISFIT),
      listYears((misfit) => misfit >= LEAST_MISFIT),
    ];
    if (names.length === 0 || otherYears.length === 0) return [];
    return [
      `${file}: "${total.column}" is the sum of ${names.map((name) => `"${name}"`).join(' and ')} in ${sumYears.join(', ')}, and not in ${otherYears.join(', ')}. If its definition changed, take the columns that mean the same throughout (sources.json, sums)`,
    ];
  });
}

/** A column that cases exceed in fewer rows of a year or an area bounds them; one that they exceed in more does not. */
const BOUND_SHARE = 0.02;
const NO_BOUND_SHARE = 0.25;

/**
 * Cases that exceed another column in some years or areas, and not in the others, such as those tested: they may count
 * others too.
 */
function describeChangedBounds({ file, rows, columns }: Delivery): string[] {
  const caseColumns = columns.filter(({ figure }) => figure === 'confirmed');
  const cases = rows.map((_, row) => sumNumbers(caseColumns.map(({ numbers }) => numbers[row]!)));
  const others = columns.filter(({ figure, isKey, reason }) => figure === null && !isKey && reason === null);
  return others.flatMap(({ column, numbers }) => {
    const filledRows = [...rows.keys()].filter((row) => Number.isFinite(numbers[row]!) && Number.isFinite(cases[row]!));
    return (['year', 'place'] as const).flatMap((by) => {
      const groups = [...Map.groupBy(filledRows, (row) => rows[row]![by])].map(([group, groupRows]) => ({
        group,
        exceeding: groupRows.filter((row) => cases[row]! > numbers[row]!).length,
        filled: groupRows.length,
      }));
      const bounded = groups.filter(({ exceeding, filled }) => exceeding <= BOUND_SHARE * filled);
      const unbounded = groups.filter(({ exceeding, filled }) => exceeding >= NO_BOUND_SHARE * filled);
      const least = by === 'year' ? 1 : groups.length / 2;
      if (bounded.length < least || unbounded.length === 0) return [];
      const counts = unbounded.map(({ group, exceeding, filled }) => `${exceeding} of ${filled} rows of ${group}`);
      return [
        `${file}: cases are more than "${column}" in ${firstFew(counts, MOST_LABELS_NAMED)}, and hardly ever in the other ${by}s. Perhaps they count others too, such as presumed cases: take figures that mean the same throughout`,
      ];
    });
  });
}

/** Weights of a sample have the mean 1, or a million, up to rounding. */
const MEAN_TOLERANCE = 0.02;

/** An unused column of a survey that has the mean of sampling weights in every year. */
function describeWeights({ file, rows, columns }: Delivery): string[] {
  if (!columns.some(({ figure }) => figure === 'examined') || columns.some(({ figure }) => figure === 'weight'))
    return [];
  const rowsByYear = [...Map.groupBy(rows.keys(), (row) => rows[row]!.year).values()];
  const isWeight = ({ numbers }: Delivery['columns'][number]) =>
    new Set(numbers).size > rows.length / 4 &&
    [1, 1e6].some((unit) =>
      rowsByYear.every((yearRows) => {
        const values = yearRows.map((row) => numbers[row]!);
        const isNearUnit = Math.abs(sumNumbers(values) / values.length / unit - 1) < MEAN_TOLERANCE;
        return isNearUnit && values.every((value) => value > 0);
      }),
    );
  return columns
    .filter((column) => column.figure === null && !column.isKey && column.reason === null && isWeight(column))
    .map(
      ({ column }) =>
        `${file}: "${column}" has the mean of sampling weights, and is not used. If it is one, take it as \`weight\` (sources.json, columns): without it, places that were sampled more count more`,
    );
}

/** With fewer cases elsewhere, 0 cases are likely too. */
const LEAST_CASES = 100;

/** Rows with 0 cases that another column, of 0 in no other row, shows to be no reports. */
function describeUnreported({ file, rows, columns }: Delivery): string[] {
  const caseColumns = columns.filter(({ figure }) => figure === 'confirmed');
  const cases = rows.map((_, row) => caseColumns.reduce((sum, { numbers }) => sum + numbers[row]!, 0));
  const zeroRows = cases.filter((count) => count === 0).length;
  if (zeroRows === 0 || cases.some((count) => count > 0 && count < LEAST_CASES)) return [];
  const isOfReports = ({ figure, numbers }: Delivery['columns'][number]) =>
    figure === null && cases.every((count, row) => Number.isNaN(count) || (count === 0) === (numbers[row] === 0));
  return columns
    .filter(isOfReports)
    .map(
      ({ column }) =>
        `${file}: cases are 0 where "${column}" is, in ${zeroRows} rows, and hundreds everywhere else. If no report was made, leave the cells blank, as unknown`,
    );
}

/** Columns that no source takes and that may be parts of the cases of a table. */
function findUnusedParts(deliveries: readonly Delivery[]): ReportLine[] {
  const usedKeys = usedColumnKeys(deliveries);
  return deliveries.flatMap(({ source, file, columns }): ReportLine[] => {
    if (!columns.some(({ figure }) => figure === 'confirmed')) return [];
    const siblings = findSiblings(
      columns.flatMap(({ column, figure, reason, numbers }) => {
        const isTaken = figure === 'confirmed';
        return isTaken || (reason === null && !usedKeys.has(`${file}\n${column}`))
          ? [{ column, isTaken, numbers }]
          : [];
      }),
    );
    const what = `${file}: columns that may be parts of the cases are not taken: ${describeSiblings(siblings)}. If they are, add them up (sources.json, sums); if not, say why (unused)`;
    return siblings.length === 0 ? [] : [{ source, rule: 'hard to believe', what, needs_approval: true }];
  });
}

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
const COUNT_NOUNS: Readonly<Record<string, string>> = {
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
