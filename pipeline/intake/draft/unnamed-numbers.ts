/** Numbers of a table by area that no name settles: what they may be, as far as the numbers themselves tell. */
import { findParts, sumNumbers } from '../../ingest/readers/column-sums.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { ROW_COLUMN_NAME } from '../../ingest/readers/dialect.ts';
import { firstFew } from '../../lib/first-few.ts';
import { nameSimilarity, plainName } from '../../lib/name-similarity.ts';
import { filledCells, numbersByRow } from '../columns.ts';
import { areCounts } from './case-columns.ts';
import type { TimeKey } from './draft-keys.ts';

export interface UnnamedNumbers {
  columns: readonly string[];
  isMonthly: boolean;
  /** The answer that the numbers suggest. */
  guess: string;
  /** Each column with its sum by year and what the numbers tell. */
  description: string;
}

const MOST_COLUMNS = 12;
/** Monthly means of air temperature on the ground, in kelvin. */
const KELVIN = [240, 330] as const;
/** Mean rain of a day, in metres: the wettest months have less. */
const MOST_METRES_A_DAY = 0.1;

/** The columns of numbers alone, without row numbers. */
export function numberColumns(table: TextTable, columns: readonly string[]): string[] {
  return columns.filter((column) => {
    const cells = filledCells(table, column);
    const areNumbers = cells.length > 0 && cells.every((cell) => Number.isFinite(Number(cell)));
    return areNumbers && !ROW_COLUMN_NAME.test(plainName(column));
  });
}

/** Whether numbers are thousands of something: with decimals, and whole if multiplied by 1,000. */
const areThousands = (cells: readonly string[]) =>
  cells.some((cell) => /\.\d{3}$/.test(cell)) && cells.every((cell) => /^\d+(\.\d{1,3})?$/.test(cell));

/** Each column as somebody would hold it against an annual report: its sums by year, and its relation to the others. */
export function describeNumbers(table: TextTable, columns: readonly string[], time: TimeKey | string): string {
  const years = typeof time === 'string' ? null : time.times.map((text) => text.slice(0, 4));
  const numbersByColumn = new Map(columns.map((column) => [column, numbersByRow(table, column)]));
  const descriptions = columns.map((column) => {
    const numbers = numbersByColumn.get(column)!;
    const sumByYear = new Map<string, number>();
    for (const [row, value] of numbers.entries())
      if (!Number.isNaN(value)) sumByYear.set(years?.[row] ?? '', (sumByYear.get(years?.[row] ?? '') ?? 0) + value);
    const sums = [...sumByYear].sort(([a], [b]) => (a < b ? -1 : 1));
    const formattedSums = sums.map(([year, sum]) => `${year} ${formatSum(sum)}`.trim()).join(', ');
    const relation = describeRelation(column, numbersByColumn, filledCells(table, column));
    return `"${column}" (${formattedSums}${relation ? `; ${relation}` : ''})`;
  });
  return firstFew(descriptions, MOST_COLUMNS, '; ');
}

const formatSum = (sum: number) => sum.toLocaleString('en-US', { maximumFractionDigits: Math.abs(sum) < 100 ? 2 : 0 });

/** What the numbers of a column tell about it; null if nothing. */
function describeRelation(
  column: string,
  numbersByColumn: ReadonlyMap<string, readonly number[]>,
  cells: readonly string[],
): string | null {
  const numbers = numbersByColumn.get(column)!;
  const values = cells.map(Number);
  if (values.every((value) => value >= KELVIN[0] && value <= KELVIN[1]))
    return 'kelvin by their size: give °C, 273.15 less';
  if (values.every((value) => value >= 0 && value < MOST_METRES_A_DAY))
    return 'metres a day if it is rain: give the millimetres of the month, 1,000 times the days of the month as many';
  if (areThousands(cells)) return 'thousands if they are counts: whole once multiplied by 1,000';
  if (!areCounts(cells)) return null;
  const otherColumns = [...numbersByColumn].flatMap(([name, others]) =>
    name === column ? [] : [{ name, numbers: others, sum: sumNumbers(others) }],
  );
  const parts = findParts({ numbers, sum: sumNumbers(numbers) }, otherColumns);
  if (parts.length > 0) return `the sum of ${parts.map(({ name }) => `"${name}"`).join(' and ')}`;
  const [larger] = otherColumns
    .filter((other) => numbers.every((value, row) => !(value > other.numbers[row]!)))
    .map(({ name }) => ({ name, similarity: nameSimilarity(plainName(name), plainName(column)) }))
    .sort((a, b) => b.similarity - a.similarity);
  return larger === undefined ? null : `never above "${larger.name}": a part of it?`;
}
