import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitCsvCells, splitCsvRows, toCsv } from '../../../../pipeline/lib/tables/csv.ts';
import { sqlLiteral, withDatabase } from '../../../../pipeline/lib/tables/duckdb.ts';
import { temporary } from '../../../support/command-line.ts';

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '1', ' ', ',', ';', '"', '\n'), maxLength: 6 });
const tables = fc.array(fc.record({ a: cell, b: cell, c: cell }), { minLength: 1, maxLength: 5 });

test('rows and cells are read as they were written, and as DuckDB reads them', async () => {
  const file = path.join(temporary(), 'a.csv');
  await withDatabase(async (db) => {
    const read = `read_csv(${sqlLiteral(file)}, auto_detect = false, header = true, delim = ',', quote = '"', escape = '"',
      columns = {a: 'VARCHAR', b: 'VARCHAR', c: 'VARCHAR'})`;
    await fc.assert(
      fc.asyncProperty(tables, async (rows) => {
        const csv = toCsv(rows);
        const cells = splitCsvRows(csv).map(({ text }) => splitCsvCells(text, ','));
        expect(cells).toEqual([['a', 'b', 'c'], ...rows.map(({ a, b, c }) => [a, b, c])]);
        writeFileSync(file, `${csv}\n`);
        const inDuckDb = await db.rows<Record<string, string | null>>(`FROM ${read}`);
        expect(inDuckDb.map((row) => Object.values(row).map((text) => text ?? ''))).toEqual(cells.slice(1));
      }),
      { numRuns: 200 },
    );
  });
});

test('a row is at the line where it starts', () => {
  const rows = splitCsvRows('a,b\n"1\n\n2",3\n\n4,"5\n"\n6,7');
  expect(rows.map(({ line, text }) => [line, text])).toEqual([
    [1, 'a,b'],
    [2, '"1\n\n2",3'],
    [5, ''],
    [6, '4,"5\n"'],
    [8, '6,7'],
  ]);
});

test.each<[string, (string | null)[]]>([
  ['5" pipe, 6" pipe,1', ['5" pipe', ' 6" pipe', '1']],
  [' "1,2",3,4 ', ['1,2', '3', '4 ']],
  ['"",""""', ['', '"']],
  ['"a" "b,c",5', [null, '5']],
  ['"a"b,c', [null, 'c']],
  ['1\n2,"3"', [null, '3']],
])('of %j the quotes that do not enclose a whole cell are told from those that do', (row, cells) =>
  expect(splitCsvCells(row, ',')).toEqual(cells),
);
