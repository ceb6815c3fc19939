import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readCsv } from '../../../../pipeline/ingest/readers/csv.ts';
import { temporary } from '../../../support/command-line.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');

/** Reads bytes as a CSV file of that name. */
function read(bytes: Buffer, encoding: Parameters<typeof readCsv>[3], name = 'a.csv') {
  const file = path.join(temporary(), name);
  writeFileSync(file, bytes);
  return readCsv(file, name, ';', encoding);
}
// É and é as in Latin-1; œ and ’ are the bytes 9c and 92 of windows-1252, which Latin-1 has not.
const WESTERN = bytesOf('R\xe9gion;cas\r\nB\x9cuf d\x92Or;1\r\n\xc9p\xe9;2\r\n');

test.each([
  ['declared', WESTERN, 'a.csv', 'windows-1252'],
  ['recognised', WESTERN, 'a.csv', null],
  ['recognised in a gzip file', gzipSync(WESTERN), 'a.csv.gz', null],
] as const)('windows-1252, %s', async (_, bytes, name, encoding) => {
  const { header, rows, encoding: found } = await read(bytes, encoding, name);
  expect([header, rows.map(({ cells }) => cells[0]), found]).toEqual([
    ['Région', 'cas'],
    ['Bœuf d’Or', 'Épé'],
    'windows-1252',
  ]);
});

test('text in UTF-8 is not taken for another encoding', async () => {
  expect(await read(Buffer.from('Région;cas\nÉpé;2\n'), null)).toMatchObject({
    header: ['Région', 'cas'],
    encoding: undefined,
  });
});

test.each([
  [
    'not declared',
    WESTERN,
    undefined,
    /row 1: found bytes that are not UTF-8, expected a table in UTF-8, or `"encoding": "windows-1252"` in its dialect/,
  ],
  ['with a byte that windows-1252 has not', bytesOf('a;b\n\xe9\x81;1\n'), null, /row 2: .* expected a table in UTF-8$/],
  ['with some rows in UTF-8', bytesOf('a;b\n\xe9;1\n\xc3\xa9;2\n'), null, /row 2: .* expected a table in UTF-8$/],
  [
    'declared, but UTF-8',
    Buffer.from('a;b\nÉpé;1\n'),
    'windows-1252',
    /row 2: found bytes that are not windows-1252, expected a table in windows-1252 \(sources\.json, dialect\)/,
  ],
] as const)('%s, text is refused', async (_, bytes, encoding, message) => {
  await expect(read(bytes, encoding)).rejects.toThrow(message);
});
