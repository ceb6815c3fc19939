import path from 'node:path';
import type { Period } from '../contract/months.ts';
import { readTable } from '../ingest/readers/raw-table.ts';

/** True prevalence of an LGA in a month, a share 0 to 1. @throws Error if it is not known */
export type Truth = (lga_code: string, period: Period) => number;

/**
 * Reads `truth/prevalence.csv` of a country's directory: lga_pcode, period (YYYY-MM), prevalence.
 * @throws BadInput naming file and row if there is no such file, columns are missing or a prevalence is not a share;
 *   the returned function throws it if the file lacks an LGA and month
 */
export async function readTruth(country: string): Promise<Truth> {
  const columns = { lga_pcode: 'lga_pcode', period: 'period', prevalence: 'prevalence' };
  const table = await readTable(path.join(country, 'truth'), { files: [{ path: 'prevalence.csv' }], columns });
  const values = new Map(
    table.rows.map((row) => [
      `${row.text('lga_pcode')} ${row.period('period')}`,
      row.number('prevalence', { least: 0, most: 1 }),
    ]),
  );
  return (lga_code, period) => {
    const value = values.get(`${lga_code} ${period}`);
    if (value === undefined) throw table.error(`no row for ${lga_code} in ${period}`, 'rows for all scored months');
    return value;
  };
}
