/** What tables make hard to believe before they are read: parts left out, rows of several kinds, values that are none. */
import type { ReportLine } from '../engine/stage.ts';
import { firstFew } from '../lib/first-few.ts';
import { COUNT_NOUNS, usedColumnKeys } from './accounts.ts';
import { describeFill, findFillValue } from './fill-values.ts';
import { findParts, sumNumbers } from './readers/column-sums.ts';
import type { Delivery } from './readers/delivery.ts';
import { describeSiblings, findSiblings } from './siblings.ts';

const MOST_LABELS_NAMED = 4;

/** The findings about all deliveries, each of which needs an approval. */
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
