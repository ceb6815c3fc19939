import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Source } from '../../../../pipeline/catalog/sources.ts';
import { readTable } from '../../../../pipeline/ingest/readers/raw-table.ts';
import { temporary } from '../../../support/command-line.ts';

const POSITIVES = ['TDR positifs', 'GE positives'];

/** The confirmed cases of a table of rows `area,month,rapid tests,microscopy`. */
async function sumsOf(rows: readonly string[], more: Partial<Source> = {}) {
  const directory = temporary();
  writeFileSync(path.join(directory, 'a.csv'), `${['code,month,TDR positifs,GE positives', ...rows].join('\n')}\n`);
  const table = await readTable(directory, {
    id: 'cases',
    role: 'cases_lgas',
    files: [{ path: 'a.csv' }],
    columns: { lga_pcode: 'code', period: 'month' },
    sums: { confirmed: POSITIVES },
    ...more,
  });
  return table.rows.map((row) => row.numberOrNull('confirmed'));
}

test('a count may be the sum of columns: blank cells are left out, and it is blank if all are', async () => {
  const rows = ['A,2020-01,1,2', 'A,2020-02,,5', 'A,2020-03,0,', 'A,2020-04,,'];
  expect(await sumsOf(rows)).toEqual([3, 5, 0, null]);
  const marked = ['A,2020-01,-,2', 'A,2020-02,3,4.0'];
  expect(await sumsOf(marked, { recode: { confirmed: { '-': '0' } } })).toEqual([2, 7]);
});

test.each([
  ['a word', 'A,2020-02,7,none', /^a\.csv, row 3, GE positives: found "none", expected a count, or a blank cell/],
  ['a negative count', 'A,2020-02,-3,9', /row 3, TDR positifs: found "-3"/],
  ['a fraction', 'A,2020-02,0.5,0.5', /row 3, TDR positifs: found "0\.5"/],
])('%s in a sum is refused with the column of the file', async (_, row, message) => {
  await expect(sumsOf(['A,2020-01,1,2', row])).rejects.toThrow(message);
});

test('a column of a sum without any value is refused, and so is a sum out of its range', async () => {
  await expect(sumsOf(['A,2020-01,1,', 'A,2020-02,2,'])).rejects.toThrow(
    /^a\.csv, column GE positives: found nothing in any row/,
  );
  await expect(sumsOf(['A,2020-01,6,6'], { ranges: { confirmed: [0, 10] } })).rejects.toThrow(
    /row 2, confirmed: found 12, expected 0 to 10/,
  );
});
