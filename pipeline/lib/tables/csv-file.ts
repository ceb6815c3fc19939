import { writeAtomic } from '../atomic-write.ts';
import { toCsv } from './csv.ts';

/** Writes rows as a CSV file in one step. @param columns by default the fields of the first row */
export function writeCsv<Row extends object>(
  file: string,
  rows: readonly Row[],
  columns?: readonly (keyof Row & string)[],
): Promise<void> {
  return writeAtomic(file, `${toCsv(rows, columns)}\n`);
}
