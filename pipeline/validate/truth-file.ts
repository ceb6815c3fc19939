import path from 'node:path';
import type { Period } from '../contract/months.ts';
import { readCsv } from '../ingest/readers/csv.ts';
import { refusalIn } from '../lib/bad-input.ts';

/** True prevalence of an LGA in a month, a share 0 to 1. @throws Error if it is not known */
export type Truth = (lga_code: string, period: Period) => number;

const COLUMNS = ['lga_pcode', 'period', 'prevalence'] as const;

/**
 * Reads `truth/prevalence.csv` of a country's directory: lga_pcode, period (YYYY-MM), prevalence.
 * @throws BadInput naming file and row if there is no such file, columns are missing or a prevalence is not a share;
 *   the returned function throws it if the file lacks an LGA and month
 */
export async function readTruth(country: string): Promise<Truth> {
  const file = path.join(country, 'truth', 'prevalence.csv');
  const refusal = refusalIn(file);
  const { header, rows } = await readCsv(file, file);
  const [lga, period, prevalence] = COLUMNS.map((name) => header.indexOf(name)) as [number, number, number];
  const missing = COLUMNS.filter((name) => !header.includes(name));
  if (missing.length > 0) throw refusal.at('row 1')(`no column ${missing.join(', ')}`, `${COLUMNS.join(', ')}`);
  const values = new Map(
    rows.map(({ line, cells }) => {
      const share = Number(cells[prevalence] ?? Number.NaN);
      if (!(share >= 0 && share <= 1))
        throw refusal.at(`row ${line}`)(`prevalence ${cells[prevalence]}`, 'a share, 0 to 1');
      return [`${cells[lga]} ${cells[period]}`, share];
    }),
  );
  return (lga_code, month) => {
    const value = values.get(`${lga_code} ${month}`);
    if (value === undefined) throw refusal(`no row for ${lga_code} in ${month}`, 'rows for all scored months');
    return value;
  };
}
