/** Zeros that an export leaves out, and zeros that were filled in for reports that were never made. */
import { LEAST_REPORTING_SHARE } from '../../ingest/facilities.ts';
import { findParts, sumNumbers } from '../../ingest/readers/column-sums.ts';
import { cellsByRow, filledCells, numbersByRow } from '../columns.ts';
import { areCounts } from './case-columns.ts';
import type { PlaceKey } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

/** Up to this many cases are near 0: if a place has no such month, its blanks are probably not zeros. */
const FEW_CASES = 10;

/**
 * The number of blanks with a sufficient reporting rate that are zeros which the export leaves out: no month has 0, and
 * the places with blanks have months near 0. If these conditions do not hold, the number is 0.
 */
export function countOmittedZeros(table: TableFile, place: PlaceKey, column: string, rate: string): number {
  const areas = cellsByRow(table, place.column);
  const [counts, rates] = [column, rate].map((name) => numbersByRow(table, name)) as [number[], number[]];
  const blankRows = [...counts.keys()].filter(
    (row) => Number.isNaN(counts[row]) && rates[row]! >= 100 * LEAST_REPORTING_SHARE,
  );
  const areasNearZero = new Set(areas.filter((_, row) => counts[row]! <= FEW_CASES));
  const areZeros = !counts.some((count) => count <= 0) && blankRows.every((row) => areasNearZero.has(areas[row]!));
  return areZeros ? blankRows.length : 0;
}

/** Least share of reports with cases in which a column is filled, and least number of rows with zeros. */
const LEAST_REPORT_SHARE = 0.9;
const LEAST_FILLED_ROWS = 6;

/**
 * Zeros that were probably filled in without a report: all other columns that reports with cases have are blank.
 * @returns the columns of which the cases are the sum, if there are any; null without such zeros
 */
export function findFilledZeros(
  table: TableFile,
  columns: readonly string[],
  confirmed: string,
): { parts: string[] | null; doubt: string } | null {
  const counts = numbersByRow(table, confirmed);
  const reportRows = [...counts.keys()].filter((row) => counts[row]! > 0);
  const otherColumns = columns.flatMap((column) => {
    const cells = filledCells(table, column);
    if (column === confirmed || cells.length === table.rows.length || !areCounts(cells)) return [];
    const numbers = numbersByRow(table, column);
    const filledRows = reportRows.filter((row) => !Number.isNaN(numbers[row]));
    return filledRows.length >= LEAST_REPORT_SHARE * reportRows.length ? [{ column, numbers }] : [];
  });
  const zeroRows = counts.filter(
    (count, row) => count === 0 && otherColumns.every(({ numbers }) => Number.isNaN(numbers[row])),
  );
  if (otherColumns.length === 0 || reportRows.length === 0 || zeroRows.length < LEAST_FILLED_ROWS) return null;
  const toSummed = ({ column, numbers: all }: { column: string; numbers: readonly number[] }) => {
    const numbers = reportRows.map((row) => all[row] || 0);
    return { column, numbers, sum: sumNumbers(numbers) };
  };
  const summedColumns = findParts(toSummed({ column: confirmed, numbers: counts }), otherColumns.map(toSummed));
  const parts = summedColumns.length > 0 ? summedColumns.map(({ column }) => column) : null;
  const names = otherColumns.map(({ column }) => `"${column}"`).join(', ');
  const consequence = parts
    ? `these months are unknown, and cases are the sum of ${parts.map((part) => `"${part}"`).join(' and ')}`
    : 'if no report was made, the months are unknown: leave the cells blank';
  return {
    parts,
    doubt: `${table.file}: "${confirmed}" is 0 in ${zeroRows.length} of ${counts.length} rows in which all of ${names} are blank; ${consequence}`,
  };
}
