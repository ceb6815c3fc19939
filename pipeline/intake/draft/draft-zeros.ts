/** Zeros that an export leaves out, and zeros that were filled in for reports that were never made. */
import { LEAST_REPORTING_SHARE } from '../../ingest/facilities.ts';
import { findParts, sumNumbers } from '../../ingest/readers/column-sums.ts';
import { filledCells } from '../columns.ts';
import { areCounts } from './case-columns.ts';
import type { PlaceKey } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

/** Up to this many cases are near 0: if a place has no such month, its blanks are probably not zeros. */
const FEW_CASES = 10;

/**
 * The number of blanks with a sufficient reporting rate that are zeros which the export leaves out: no month has 0, and
 * the places with blanks have months near 0. If these conditions do not hold, the number is 0.
 */
export function countOmittedZeros({ header, rows }: TableFile, place: PlaceKey, column: string, rate: string): number {
  const [area, cases, share] = [place.column, column, rate].map((name) => header.indexOf(name)) as [
    number,
    number,
    number,
  ];
  const isBlank = ({ cells }: TableFile['rows'][number]) =>
    cells[cases] === null && Number(cells[share]) >= 100 * LEAST_REPORTING_SHARE;
  const blanks = rows.filter(isBlank);
  const places = new Set(blanks.map(({ cells }) => cells[area]));
  const counts = rows.flatMap(({ cells }) =>
    cells[cases] == null ? [] : [{ place: cells[area], count: Number(cells[cases]) }],
  );
  const placesNearZero = new Set(counts.filter(({ count }) => count <= FEW_CASES).map(({ place }) => place));
  return counts.every(({ count }) => count > 0) && [...places].every((place) => placesNearZero.has(place))
    ? blanks.length
    : 0;
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
  const { file, header, rows } = table;
  const columnIndex = (column: string) => header.indexOf(column);
  const cases = columnIndex(confirmed);
  const reports = rows.filter(({ cells }) => Number(cells[cases]) > 0);
  const otherColumns = columns.filter((column) => {
    const cells = filledCells(table, column);
    if (column === confirmed || cells.length === rows.length || !areCounts(cells)) return false;
    const index = columnIndex(column);
    return reports.filter(({ cells }) => cells[index] !== null).length >= LEAST_REPORT_SHARE * reports.length;
  });
  const otherIndexes = otherColumns.map(columnIndex);
  const zeroRows = rows.filter(
    ({ cells }) =>
      cells[cases] !== null && Number(cells[cases]) === 0 && otherIndexes.every((index) => cells[index] === null),
  );
  if (otherColumns.length === 0 || reports.length === 0 || zeroRows.length < LEAST_FILLED_ROWS) return null;
  const toSummed = (column: string) => {
    const numbers = reports.map(({ cells }) => Number(cells[columnIndex(column)] ?? 0));
    return { column, numbers, sum: sumNumbers(numbers) };
  };
  const summedColumns = findParts(toSummed(confirmed), otherColumns.map(toSummed));
  const parts = summedColumns.length > 0 ? summedColumns.map(({ column }) => column) : null;
  const names = otherColumns.map((column) => `"${column}"`).join(', ');
  const consequence = parts
    ? `these months are unknown, and cases are the sum of ${parts.map((part) => `"${part}"`).join(' and ')}`
    : 'if no report was made, the months are unknown: leave the cells blank';
  return {
    parts,
    doubt: `${file}: "${confirmed}" is 0 in ${zeroRows.length} of ${rows.length} rows in which all of ${names} are blank; ${consequence}`,
  };
}
