import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { type RawTable, readTable } from '../../../../pipeline/ingest/readers/raw-table.ts';
import { readXlsx } from '../../../../pipeline/ingest/readers/xlsx.ts';
import { sheetXml, workbook } from '../../../support/workbook.ts';
import { temporaryDirectory } from '../../rasters.ts';

function write(bytes: Uint8Array): string {
  const file = join(temporaryDirectory(), 'book.xlsx');
  writeFileSync(file, bytes);
  return file;
}
const read = (sheets: Parameters<typeof workbook>[0], sheet?: string, titleRows: number | null = null) =>
  readXlsx(write(workbook(sheets)), 'book.xlsx', sheet, titleRows);
const CASES = {
  rows: [
    ['code', 'month', 'cases'],
    ['A', new Date('2015-01-01'), 12],
    ['B', '2015-02', 0.25],
  ],
};

describe('sheets', () => {
  test('texts, numbers, dates and blank cells are as they are shown; rows are numbered as in Excel', async () => {
    const id = `<c r="B2"><v>12345678901234567890</v></c>`;
    const xml = sheetXml({
      rows: [['code', 'id', 'month'], ['A', null, new Date('2015-03-01')], ['<&>', null, 1e-7], ['C']],
    });
    const { header, rows } = await read({ One: xml.replace('</c><c r="C2"', `</c>${id}<c r="C2"`) });
    expect(header).toEqual(['code', 'id', 'month']);
    expect(rows).toEqual([
      { line: 2, cells: ['A', '12345678901234567890', '2015-03-01'] },
      { line: 3, cells: ['<&>', null, '1e-7'] },
      { line: 4, cells: ['C', null, null] },
    ]);
  });

  test('an error of a formula is a text, which the reader of its column refuses with its row', async () => {
    const xml = sheetXml(CASES).replace('<c r="C2"><v>12</v></c>', '<c r="C2" t="e"><f>1/0</f><v>#DIV/0!</v></c>');
    expect((await read({ One: xml })).rows[0]!.cells).toEqual(['A', '2015-01-01', '#DIV/0!']);
  });

  test('one of several is named; empty ones, and those with a header alone, do not count', async () => {
    const empty = { Cover: { rows: [] }, Headers: { rows: [['code', 'cases']] } };
    expect((await read({ ...empty, '2015': CASES })).rows).toHaveLength(2);
    await expect(read({ ...empty, '2015': CASES, 'A & B': CASES })).rejects.toThrow(
      'book.xlsx: found the sheets "2015", "A & B", expected one (sources.json, dialect, sheet)',
    );
    expect((await read({ '2015': CASES, 'A & B': CASES }, 'A & B')).header).toEqual(['code', 'month', 'cases']);
    await expect(read({ '2015': CASES }, '2016')).rejects.toThrow('found the sheets "2015", expected "2016"');
    await expect(read(empty)).rejects.toThrow('found the sheets none with a table');
  });

  test('the catalog names the sheet, and messages do', async () => {
    const file = write(workbook({ Notes: { rows: [['a'], ['b']] }, '2015': CASES }));
    const table = (columns: Record<string, string>): Promise<RawTable> =>
      readTable(join(file, '..'), {
        files: [{ path: 'book.xlsx' }],
        format: 'xlsx',
        dialect: { sheet: '2015' },
        columns,
      });
    expect((await table({ lga_pcode: 'code', confirmed: 'cases' })).rows[0]!.values).toEqual({
      lga_pcode: 'A',
      confirmed: '12',
    });
    await expect(table({ lga_pcode: 'ward' })).rejects.toThrow(
      'book.xlsx, sheet 2015, header: found columns code, month, cases',
    );
  });
});

test('merged headings are joined, and merged cells below them have the value in each row', async () => {
  const rows = [
    ['Malaria cases by district'],
    ['Region', 'District', '2015', null, '2016', null],
    [null, null, 'Jan', 'Feb', 'Jan', 'Feb'],
    ['North', 'Alba', 1, 2, 3, 4],
    [null, 'Boro', 5, 6, 7, 8],
  ];
  const merges = ['A1:F1', 'A2:A3', 'B2:B3', 'C2:D2', 'E2:F2', 'A4:A5'];
  const table = await read({ One: { rows, merges } });
  expect(table.header).toEqual(['Region', 'District', '2015 Jan', '2015 Feb', '2016 Jan', '2016 Feb']);
  expect(table.titles).toEqual(['Malaria cases by district']);
  expect(table.rows).toEqual([
    { line: 4, cells: ['North', 'Alba', '1', '2', '3', '4'] },
    { line: 5, cells: ['North', 'Boro', '5', '6', '7', '8'] },
  ]);
  expect((await read({ One: { rows, merges } }, undefined, 1)).header).toEqual(table.header);
});

describe('hostile archives are refused before they are unpacked', () => {
  const manyFiles = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`xl/${i}.xml`, new Uint8Array()]));
  const large = zipSync({ 'xl/worksheets/sheet1.xml': new Uint8Array(2 ** 28 + 1) }, { level: 1 });
  test.each<[string, Uint8Array, RegExp]>([
    ['too many files', zipSync(manyFiles), /more than 256 MB or 2000 files unpacked/],
    ['too many bytes', large, /more than 256 MB or 2000 files unpacked/],
    [
      'a row far below',
      workbook({ One: sheetXml(CASES).replace('r="3"', 'r="999999999"') }),
      /found a sheet of 999999999 rows and 3 columns/,
    ],
    [
      'a cell far away',
      workbook({ One: sheetXml(CASES).replace('"C3"', '"XFD1048576"') }),
      /found a sheet of 1048576 rows and 16384 columns/,
    ],
    [
      'no workbook',
      zipSync({ 'a.txt': strToU8('a') }),
      /content that cannot be read .*expected a whole Excel workbook; is it cut short\? Get it again/,
    ],
    ['a part of a file', workbook({ One: CASES }).subarray(0, 300), /content that cannot be read/],
  ])('%s', async (_, bytes, message) => {
    await expect(readXlsx(write(bytes), 'book.xlsx', undefined)).rejects.toThrow(message);
  });
});
