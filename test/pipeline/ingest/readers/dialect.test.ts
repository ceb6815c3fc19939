import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Dialect, MonthOrder } from '../../../../pipeline/catalog/dialect.ts';
import type { ReportLine } from '../../../../pipeline/engine/stage.ts';
import { monthOrders, readMonth } from '../../../../pipeline/ingest/readers/months.ts';
import { readTable, readTextTable } from '../../../../pipeline/ingest/readers/raw-table.ts';
import { temporary } from '../../../support/command-line.ts';

test.each<[string, MonthOrder | undefined, string | null]>([
  ['2015-01', undefined, '2015-01'],
  ['201501', undefined, '2015-01'],
  ['2015/01', undefined, null],
  ['2015/01', 'year month', '2015-01'],
  ['2015.1', 'year month', '2015-01'],
  ['2015M01', 'year month', '2015-01'],
  ['X2015.01', 'year month', '2015-01'],
  ['2015 March', 'year month', '2015-03'],
  ['2015mars', 'year month', '2015-03'],
  ['201513', 'year month', null],
  ['2015W01', 'year month', null],
  ['Jan-15', 'month year', '2015-01'],
  ['Sept 99', 'month year', '1999-09'],
  ['January 2015', 'month year', '2015-01'],
  ['Janvier.2015', 'month year', '2015-01'],
  ['févr.-15', 'month year', '2015-02'],
  ['août 2015', 'month year', '2015-08'],
  ['março/2015', 'month year', '2015-03'],
  ['01/2015', 'month year', '2015-01'],
  ['01/15', 'month year', null],
  ['2015', 'month year', null],
  ['2015-01-31', 'year month day', '2015-01'],
  ['20150131', 'year month day', '2015-01'],
  ['2015-01-01T00:00:00.000', 'year month day', '2015-01'],
  ['2015-01-32', 'year month day', null],
  ['01/02/2015', 'day month year', '2015-02'],
  ['01/02/2015', 'month day year', '2015-01'],
  ['1-Feb-15', 'day month year', '2015-02'],
  ['Confirmed', 'month year', null],
])('the month %s in the order %s is %s', (text, order, period) => {
  expect(readMonth(text, order)).toBe(period);
});

test('the order of months follows from all of them, and from the day that monthly records share', () => {
  expect(monthOrders(['201501', '201502'])).toEqual([undefined]);
  expect(monthOrders(['Jan-15', 'Feb-15'])).toEqual(['month year']);
  expect(monthOrders(['01/01/2015', '01/02/2015', '01/12/2015'])).toEqual(['day month year']);
  expect(monthOrders(['1/1/2015', '2/1/2015', '12/1/2015'])).toEqual(['month day year']);
  expect(monthOrders(['31/01/2015', '28/02/2015'])).toEqual(['day month year']);
  expect(monthOrders(['01/02/2015', '02/03/2015'])).toEqual(['day month year', 'month day year']);
  expect(monthOrders(['2015-01', 'Total'])).toEqual([]);
  expect(monthOrders(['3', '12'])).toEqual([]);
});

const ROWS = [
  [2, 'A1', '2015-01', '12.5'],
  [2, 'A1', '2015-02', null],
  [3, 'A2', '2015-01', '-0.5'],
  [3, 'A2', '2015-02', '1000'],
];
const LONG = ROWS.map(([, ...cells]) => cells);

async function read(content: string, dialect: Dialect, values = 'mm', months = 'month', name = 'a.csv') {
  const directory = temporary();
  writeFileSync(path.join(directory, name), content);
  const report: ReportLine[] = [];
  const columns = { place: 'code', period: months, rain_mm: values };
  const format = name.endsWith('.json') ? 'json' : 'csv';
  const { rows } = await readTable(
    directory,
    { id: 'rain', files: [{ path: name }], columns, dialect, format },
    report,
  );
  return { rows: rows.map((row) => Object.values(row.values)), report };
}

test.each<[string, string, Dialect, string?, string?, string?]>([
  [
    'a byte-order mark and CRLF',
    '\ufeffcode,month,mm\r\nA1,2015-01,12.5\r\nA1,2015-02,\r\nA2,201501,-0.5\r\nA2,201502,1000\r\n',
    {},
  ],
  [
    'semicolons, decimal commas and quotes',
    'code;month;mm\n"A1";2015-01;12,5\nA1;2015-02;\nA2;2015-01;"-0,5"\nA2;2015-02;1000\n',
    { separator: ';', decimal_comma: true },
  ],
  [
    'decimal commas, and points between thousands',
    'code;month;mm\nA1;2015-01;12,5\nA1;2015-02;\nA2;2015-01;"-0,5"\nA2;2015-02;1.000\n',
    { separator: ';', decimal_comma: true },
  ],
  [
    'tabs',
    'code\tmonth\tmm\nA1 \t2015-01\t12.5\nA1\t2015-02\t \nA2\t2015-01\t-0.5\nA2\t2015-02\t1000\n',
    { separator: '\t' },
  ],
  [
    'months as columns of a CSV, beside a total',
    'code,Jan-15,Feb-15,Total\nA1,12.5,,12.5\nA2,-0.5,1000,999.5\n',
    { months: 'month year', pivot: { months: 'month', values: 'mm' } },
  ],
  [
    'months as columns of a JSON table',
    JSON.stringify([
      { code: 'A1', '202501': 1, '201501': 12.5, '201502': null },
      { code: 'A2', '201501': -0.5, '201502': 1000 },
    ]).replace('"202501":1,', ''),
    { pivot: { months: 'month', values: 'mm' } },
    'mm',
    'month',
    'a.json',
  ],
])('%s give the same rows', async (_, content, dialect, ...names) => {
  expect((await read(content, dialect, ...names)).rows).toEqual(LONG);
});

test('commas are marks between thousands where other numbers of their column have none', async () => {
  const rainIn = async (cells: readonly string[]) => {
    const content = ['code,month,mm', ...cells.map((cell, i) => `A${i},2015-01,"${cell}"`)].join('\n');
    return (await read(`${content}\n`, {})).rows.map((row) => row.at(-1));
  };
  expect(await rainIn(['1,234', '567', 'NR'])).toEqual(['1234', '567', 'NR']);
  expect(await rainIn(['1,234', '2,345'])).toEqual(['1,234', '2,345']);
  expect(await rainIn(['1,234', '5,6'])).toEqual(['1,234', '5,6']);
});

test('points are decimal where a number of their column has no group of three digits', async () => {
  const content = 'code;month;mm\nA1;2015-01;1.234\nA1;2015-02;12.5\n';
  const { rows } = await read(content, { separator: ';', decimal_comma: true });
  expect(rows.map((row) => row.at(-1))).toEqual(['1.234', '12.5']);
});

test('the year of all rows is told by the name or the titles, or the file is refused', async () => {
  const sheet = 'Cases of 2015,,\ncode,Jan,Feb\nA1,12.5,1\n';
  const dialect: Dialect = { title_rows: 1, year: 'title', pivot: { months: 'month', values: 'mm' } };
  expect((await read(sheet, dialect, 'mm', 'month')).rows).toEqual([
    ['A1', '1', '12.5'],
    ['A1', '2', '1'],
  ]);
  await expect(read(sheet, { ...dialect, year: 'name' })).rejects.toThrow(
    /a\.csv, the name: found no year, expected one/,
  );
  await expect(read(sheet.replace('of 2015', '2015 to 2016'), dialect)).rejects.toThrow(/the title: found 2015, 2016/);
  await expect(read(sheet, { ...dialect, title_rows: 9 })).rejects.toThrow(/found 3 rows, expected a header in row 10/);
  await expect(read(sheet.replace('A1,12.5', 'A1'), dialect)).rejects.toThrow(/row 3: found 2 cells, expected 3/);
});

test('figures as rows and months as columns give a row for each month, with a column for each figure', async () => {
  const directory = temporary();
  const lines = ['A1,cases,<5,1,2', 'A1,cases,5+,3,4', 'A1,deaths,5+,0,', 'A2,cases,<5,5,6'];
  writeFileSync(path.join(directory, 'a.csv'), `${['code,of,age,2015-01,2015-02', ...lines].join('\n')}\n`);
  const dialect = { pivot: { months: 'month', values: 'n' }, wide: { names: ['of', 'age'], values: 'n' } };
  const { header, rows } = await readTextTable(directory, { files: [{ path: 'a.csv' }], format: 'csv', dialect });
  expect(header).toEqual(['code', 'month', 'cases <5', 'cases 5+', 'deaths 5+']);
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['A1', '2015-01', '1', '3', '0'],
    ['A1', '2015-02', '2', '4', null],
    ['A2', '2015-01', '5', null, null],
    ['A2', '2015-02', '6', null, null],
  ]);
});

test('a file without a line end is read with a finding if its last row is complete', async () => {
  const content = 'code,month,mm\nA1,2015-01,12.5';
  const { rows, report } = await read(content, {});
  expect(rows).toEqual([['A1', '2015-01', '12.5']]);
  expect(report).toEqual([
    { source: 'rain', rule: 'no line end', what: expect.stringMatching(/^a\.csv: no line end after the last row/) },
  ]);
  expect((await read(`${content}\n`, {})).report).toEqual([]);
  await expect(read('code,month,mm\nA1,2015-01', {})).rejects.toThrow(/row 2: found no line end and 2 of 3 cells/);
});

test('a file that ends in the last row of a sheet may have lost the others', async () => {
  const rows = Array.from({ length: 2 ** 16 - 1 }, (_, i) => `A${i},2015-01,1`);
  const content = (bodyRows: readonly string[]) => `${['code,month,mm', ...bodyRows].join('\n')}\n`;
  expect((await read(content(rows), {})).report).toEqual([
    {
      source: 'rain',
      rule: 'hard to believe',
      what: expect.stringMatching(/^a\.csv: it ends in row 65536, the last one that a sheet of Excel can have\./),
      needs_approval: true,
    },
  ]);
  expect((await read(content(rows.slice(1)), {})).report).toEqual([]);
  expect((await read(content(rows.slice(0, 5000)), {})).report).toEqual([
    expect.objectContaining({ what: expect.stringMatching(/^a\.csv: it has 5000 rows, as many as systems give/) }),
  ]);
});

test('a dialect that does not fit the file is refused', async () => {
  await expect(read('code;month;mm\nA1;2015-01;1\n', {})).rejects.toThrow(/header: found columns code;month;mm/);
  const pivot = { pivot: { months: 'month', values: 'mm' } };
  await expect(read('code,month,mm\nA1,2015-01,1\n', pivot)).rejects.toThrow(/expected columns named by months/);
  const directory = temporary();
  writeFileSync(path.join(directory, 'a.csv'), 'month\n2015-01-01\n');
  const source = {
    files: [{ path: 'a.csv' }],
    columns: { period: 'month' },
    dialect: { months: 'month year' as const },
  };
  const { rows } = await readTable(directory, source);
  expect(() => rows[0]!.month()).toThrow(/row 2, period: found 2015-01-01, expected a month in the order "month year"/);
});
