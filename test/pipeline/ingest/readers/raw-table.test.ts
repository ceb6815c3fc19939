import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Source } from '../../../../pipeline/catalog/sources.ts';
import type { ReportLine } from '../../../../pipeline/engine/stage.ts';
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

/** What is read of deliveries, each a file of rows `facility,area,month,cases`: rows as text, and findings. */
async function deliveriesRead(deliveries: Record<string, readonly string[]>, more: Partial<Source> = {}) {
  const directory = temporary();
  for (const [name, rows] of Object.entries(deliveries))
    writeFileSync(path.join(directory, name), `${['hf,area,month,cases', ...rows].join('\n')}\n`);
  const report: ReportLine[] = [];
  const source: Parameters<typeof readTable>[1] = {
    id: 'cases',
    role: 'cases_lgas',
    files: Object.keys(deliveries).map((name) => ({ path: name })),
    columns: { facility: 'hf', lga: 'area', period: 'month', confirmed: 'cases' },
    ...more,
  };
  const table = await readTable(directory, source, report);
  return {
    table,
    rows: table.rows.map(({ values }) =>
      Object.values(values)
        .map((value) => value ?? '')
        .join(','),
    ),
    findings: report.map(({ what, needs_approval }) => [what, needs_approval ?? false]),
  };
}

test('a later delivery replaces rows of earlier ones, and keeps what it lacks', async () => {
  const { rows, table, findings } = await deliveriesRead({
    'z.csv': ['Alpha,A,2020-01,1', 'Alpha,A,2020-02,2', 'Beta,B,2020-02,7', 'Gamma,A,2020-02,3'],
    'm.csv': ['ALPHA,A,2020-02,20', 'Alpha,A,2020-03,30', 'Gamma,A,2020-02,3.0'],
    'a.csv': ['Alpha,A,2020-03,31', 'Beta,B,2020-04,70'],
  });
  expect(rows).toEqual([
    'Alpha,A,2020-01,1',
    'Beta,B,2020-02,7',
    'ALPHA,A,2020-02,20',
    'Gamma,A,2020-02,3.0',
    'Alpha,A,2020-03,31',
    'Beta,B,2020-04,70',
  ]);
  expect(findings).toEqual([
    [
      '3 rows are replaced by those of a later file for the same place and month (z.csv, then m.csv, then a.csv); 2 of them differ',
      false,
    ],
  ]);
  expect(table.counts.map(({ total }) => total)).toEqual([4, 3, 2]);
});

test('numbers that a later delivery lacks, and facilities that it has in another area, need approval', async () => {
  const { rows, findings } = await deliveriesRead({
    'a.csv': ['Alpha,A,2020-02,2', 'Beta,A,2020-02,4'],
    'b.csv': ['Alpha,A,2020-02,', 'Beta,B,2020-02,4'],
  });
  expect(rows).toEqual(['Alpha,A,2020-02,', 'Beta,B,2020-02,4']);
  expect(findings.slice(1)).toEqual([
    ['1 rows have a blank cell where a row that they replace has a number: b.csv, row 2', true],
    ['1 rows name another area than the rows of the same facility and month that they replace: b.csv, row 3', true],
  ]);
});

test('facilities of two areas with one name are not replaced by each other, nor areas of two states', async () => {
  const byName = await deliveriesRead({
    'a.csv': ['Centre,A,2020-01,1', 'Centre,B,2020-01,2'],
    'b.csv': ['Centre,B,2020-01,20'],
  });
  expect(byName.rows).toEqual(['Centre,A,2020-01,1', 'Centre,B,2020-01,20']);
  const ofAreas = await deliveriesRead(
    { 'a.csv': ['East,Kemi,2020-01,1'], 'b.csv': ['West,Kemi,2020-01,2', 'East,Kemi,2020-01,3'] },
    { columns: { state: 'hf', lga: 'area', period: 'month', confirmed: 'cases' } },
  );
  expect(ofAreas.rows).toEqual(['West,Kemi,2020-01,2', 'East,Kemi,2020-01,3']);
});

test('errors name the file of several and its row', async () => {
  const first = ['Alpha,A,2020-01,1', 'Beta,B,2020-01,2'];
  const { table } = await deliveriesRead({ 'a.csv': first, 'b.csv': ['Alpha,A,2020-02,-4'] });
  expect(() => table.rows[2]!.number('confirmed', { least: 0 })).toThrow(/^b\.csv, row 2, confirmed: found -4/);
  const columns = { lga: 'area', period: 'month', confirmed: 'cases' };
  const spelled = await deliveriesRead({ 'a.csv': first, 'b.csv': ['x,a,2020-01,1', 'x,A.,2020-01,5'] }, { columns });
  expect(() => spelled.table.refuseDuplicates(['period'])).toThrow(
    /^b\.csv, row 2: found period 2020-01, as in a\.csv, row 3/,
  );
  await expect(deliveriesRead({ 'a.csv': first, 'b.csv': ['Alpha,A,2020-02,'] })).rejects.toThrow(
    /^b\.csv, column cases: found nothing in any row/,
  );
  const least = {
    files: [
      { path: 'a.csv', rows: 2 },
      { path: 'b.csv', rows: 3 },
    ],
  };
  const short = await deliveriesRead({ 'a.csv': first, 'b.csv': ['Alpha,A,2020-02,1'] }, least);
  expect(() => short.table.refuseTooFewRows()).toThrow(/^b\.csv: found 1 rows, expected 3 or more/);
});

test('a column of a sum may be blank in one delivery, and rows that are left out replace none', async () => {
  const rows = { 'a.csv': ['1,A,2020-01,2', '1,B,2020-01,2'], 'b.csv': [',A,2020-02,9', ',Total,2020-01,11'] };
  const { table, findings } = await deliveriesRead(rows, {
    columns: { lga: 'area', period: 'month' },
    sums: { confirmed: ['hf', 'cases'] },
    leave_out: [{ where: { lga: 'Total' }, reason: 'a total' }],
  });
  expect(table.rows.map((row) => row.number('confirmed'))).toEqual([3, 3, 9]);
  expect(findings[0]![0]).toMatch(/1 of 4 rows with lga Total: a total; row 3 of b\.csv$/);
  expect(findings[1]![0]).toMatch(/^0 rows are replaced/);
});
