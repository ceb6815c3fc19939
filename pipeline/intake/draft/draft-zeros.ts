/** Zeros that an export leaves out, and zeros that were filled in for reports that were never made. */
import { LEAST_REPORTING_SHARE } from '../../ingest/facilities.ts';
import { filledCells } from '../columns.ts';
import { isOfCounts } from './case-columns.ts';
import type { PlaceKey } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

/** As many cases or fewer are near 0: in a place without such months, a blank is something else. */
const FEW = 10;

/**
 * How many blanks beside enough reports are zeros that the export leaves out: no month has 0, and the places with
 * blanks have months near it. 0 if they are not.
 */
export function zerosLeftOut({ header, rows }: TableFile, place: PlaceKey, column: string, rate: string): number {
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
  const near = new Set(counts.filter(({ count }) => count <= FEW).map(({ place }) => place));
  return counts.every(({ count }) => count > 0) && [...places].every((one) => near.has(one)) ? blanks.length : 0;
}

/** A column that is blank in a report of cases is no part of each; with fewer such zeros, errors decide. */
const IN_REPORTS = 0.9;
const LEAST_FILLED = 6;
/** Parts add up in as many reports; more columns are not tried. */
const IN_ROWS = 0.95;
const MOST_PARTS = 4;
const MOST_COLUMNS = 12;

/**
 * Zeros in rows in which everything else that reports of cases have is blank: filled in where no report was made.
 * @returns the columns whose sum the cases are, blank where all are, if there are such columns; null without such zeros
 */
export function filledZeros(
  table: TableFile,
  columns: readonly string[],
  confirmed: string,
): { parts: string[] | null; doubt: string } | null {
  const { file, header, rows } = table;
  const indexOf = (column: string) => header.indexOf(column);
  const cases = indexOf(confirmed);
  const reports = rows.filter(({ cells }) => Number(cells[cases]) > 0);
  const beside = columns.filter((column) => {
    const filled = filledCells(table, column);
    if (column === confirmed || filled.length === rows.length || !isOfCounts(filled)) return false;
    const index = indexOf(column);
    return reports.filter(({ cells }) => cells[index] !== null).length >= IN_REPORTS * reports.length;
  });
  const others = beside.map(indexOf);
  const filled = rows.filter(
    ({ cells }) =>
      cells[cases] !== null && Number(cells[cases]) === 0 && others.every((index) => cells[index] === null),
  );
  if (beside.length === 0 || reports.length === 0 || filled.length < LEAST_FILLED) return null;
  const addUp = (some: readonly string[]) => {
    const indexes = some.map(indexOf);
    const sum = (cells: readonly (string | null)[]) =>
      indexes.reduce((total, index) => total + Number(cells[index] ?? 0), 0);
    return reports.filter(({ cells }) => sum(cells) === Number(cells[cases])).length >= IN_ROWS * reports.length;
  };
  const parts = subsets(beside.slice(0, MOST_COLUMNS)).find(addUp) ?? null;
  const names = beside.map((column) => `"${column}"`).join(', ');
  const read = parts
    ? `these months are unknown, and cases are the sum of ${parts.map((part) => `"${part}"`).join(' and ')}`
    : 'if no report was made, the months are unknown: leave the cells blank';
  return {
    parts,
    doubt: `${file}: "${confirmed}" is 0 in ${filled.length} of ${rows.length} rows in which all of ${names} are blank; ${read}`,
  };
}

/** Two to four of some names, the fewest first. */
function subsets(names: readonly string[]): string[][] {
  let smaller: string[][] = [[]];
  const all: string[][] = [];
  for (let size = 1; size <= MOST_PARTS; size++) {
    smaller = smaller.flatMap((some) =>
      names.slice(some.length === 0 ? 0 : names.indexOf(some.at(-1)!) + 1).map((name) => [...some, name]),
    );
    if (size > 1) all.push(...smaller);
  }
  return all;
}
