import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readCsv } from '../../../../pipeline/ingest/readers/csv.ts';
import { temporary } from '../../../support/command-line.ts';

function read(text: string) {
  const file = path.join(temporary(), 'a.csv');
  writeFileSync(file, text);
  return readCsv(file, 'a.csv');
}

test.each([
  ['line feeds', '\n', '\n'],
  ['carriage returns', '\r\n', '\r\n'],
  ['carriage returns except in cells, as Excel writes it', '\r\n', '\n'],
])('a line break in quotes belongs to its cell, also in the header, in a file with %s', async (_, end, inside) => {
  const lines = [`code,"Cases,${inside}confirmed"`, 'A1,1', '', `"Aba,${inside}North",2`, ''];
  expect(await read(lines.join(end))).toMatchObject({
    header: ['code', 'Cases,\nconfirmed'],
    rows: [
      { line: 3, cells: ['A1', '1'] },
      { line: 5, cells: ['Aba,\nNorth', '2'] },
    ],
    mayBeCut: false,
  });
});

test.each([
  ['alone', 'A2,"Bama,2\nA3,Chibok,3\nA4,Dikwa,4\n'],
  ['alone within a cell', 'A2,Ba"ma,2\nA3,Chibok,3\nA4,Dikwa,4\n'],
  ['before cells in quotes', 'A2,"Bama,2\nA3,"Chibok",3\nA4,"Dikwa",4\n'],
  ['with a second one before a cell', 'A2,"Bama,2\nA3,Chibok,3\nA4,"Dikwa,4\n'],
  ['with a second one within a cell', 'A2,Ba"ma,2\nA3,Chibok,3\nA4,Di"kwa,4\n'],
  ['with a second one after a cell', 'A2,"Bama,2\nA3,Chibok,3\nA4,Dikwa",4\n'],
  ['with a second one at the end of a row', 'A2,"Bama,2\nA3,Chibok,3\nA4,Dikwa,4"\n'],
])('a stray quote, %s, is refused at its row, whatever rows it takes in', async (_, rows) => {
  const found = /^a\.csv, row 3: found (a quote that is not closed|2 cells), expected/;
  await expect(read(`code,name,cases\nA1,Aba,1\n${rows}`)).rejects.toThrow(found);
});
