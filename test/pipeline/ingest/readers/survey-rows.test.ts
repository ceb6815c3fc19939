/** Rows of surveys whose tests stand side by side, whose year only their month tells, or whose places are elsewhere. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Source } from '../../../../pipeline/catalog/sources.ts';
import type { ReportLine } from '../../../../pipeline/engine/stage.ts';
import { readTable } from '../../../../pipeline/ingest/readers/raw-table.ts';
import { temporary } from '../../../support/command-line.ts';

/** What is read of `a.csv`, with other files beside it: rows as text, and findings. */
async function read(files: Record<string, string>, source: Partial<Source>) {
  const directory = temporary();
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(directory, name), content);
  const report: ReportLine[] = [];
  const table = await readTable(directory, { id: 'survey', files: [{ path: 'a.csv' }], ...source }, report);
  return { rows: table.rows.map(({ line, values }) => [line, ...Object.values(values)].join(' ')), report };
}

const TESTS = {
  microscopy: { examined: 'mic_n', positive: 'mic_pos' },
  rdt: { examined: 'rdt_n', positive: 'rdt_pos' },
};
const OWN = { cluster_id: 'cluster', method: 'method', examined: 'examined', positive: 'positive' };

test('each test of a row has a row, unless its cells are blank; a row without any test keeps one', async () => {
  const rows = ['1,30,9,28,4', '2,30,9,,', '3,30,,28,4', '4,,,,'];
  const content = `cluster,rdt_n,rdt_pos,mic_n,mic_pos\n${rows.join('\n')}\n`;
  expect((await read({ 'a.csv': content }, { columns: OWN, dialect: { tests: TESTS } })).rows).toEqual([
    '2 1 microscopy 28 4',
    '2 1 rdt 30 9',
    '3 2 rdt 30 9',
    '4 3 microscopy 28 4',
    '4 3 rdt 30 ',
    '5 4 microscopy  ',
  ]);
});

test('tests of the same children have their number, and a test that was not made has no row for it', async () => {
  const tests = {
    microscopy: { examined: 'examined', positive: 'mic_pos' },
    rdt: { examined: 'examined', positive: 'rdt_pos' },
  };
  const content = 'cluster,examined,rdt_pos,mic_pos\n1,30,9,4\n2,30,9,\n';
  expect((await read({ 'a.csv': content }, { columns: OWN, dialect: { tests } })).rows).toEqual([
    '2 1 microscopy 30 4',
    '2 1 rdt 30 9',
    '3 2 rdt 30 9',
  ]);
});

test('a test whose column is missing is refused', async () => {
  const content = 'cluster,rdt_n,rdt_pos\n1,30,9\n';
  await expect(read({ 'a.csv': content }, { columns: OWN, dialect: { tests: TESTS } })).rejects.toThrow(
    /^a\.csv, header: found columns cluster, rdt_n, rdt_pos, expected a column "mic_n" \(sources\.json, dialect\)/,
  );
});

test('without a column of years, the survey year of a row is that of the round with its month', async () => {
  const rounds = [
    { survey_year: 2018, first: '2018-09', last: '2018-10' },
    { survey_year: 2020, first: '2020-12', last: '2021-02' },
  ];
  const content = 'cluster,date\n1,2018-09-30\n2,2021-01-02\n3,2019-05-06\n';
  const columns = { cluster_id: 'cluster', period: 'date' };
  const dialect = { months: 'year month day' as const };
  expect((await read({ 'a.csv': content }, { columns, dialect, rounds })).rows).toEqual([
    '2 1 2018-09 2018',
    '3 2 2021-01 2020',
    '4 3 2019-05 ',
  ]);
});

const JOIN = {
  on: { cluster: 'id' },
  format: 'csv' as const,
  dialect: { separator: ';' as const, decimal_comma: true as const },
};
const FILES = [{ path: 'a.csv' }, { path: 'b.csv', join: JOIN }];
const PLACED = { cluster_id: 'cluster', examined: 'n', longitude: 'x' };

test('rows get the columns of a joined file that they lack, and rows of it without any are counted', async () => {
  const files = { 'a.csv': 'cluster,n\n1,30\n2,31\n3,32\n', 'b.csv': 'id;x;n\n002;3,5;0\n1;4,5;0\n9;5,5;0\n' };
  expect(await read(files, { columns: PLACED, files: FILES })).toEqual({
    rows: ['2 1 30 4.5', '3 2 31 3.5', '4 3 32 '],
    report: [{ source: 'survey', rule: 'joined', what: 'b.csv: 1 of 3 rows belong to no row of a.csv' }],
  });
});

test.each([
  [
    'two places of one cluster',
    'id;x\n1;3,5\n1;4,5\n',
    /^b\.csv, row 3: found id 1, as in row 2, expected a single row/,
  ],
  [
    'no column of clusters',
    'ident;x\n1;3,5\n',
    /^b\.csv, header: found columns ident, x, expected a column "id" \(.* join\)/,
  ],
])('%s in a joined file are refused', async (_what, places, message) => {
  const files = { 'a.csv': 'cluster,n\n1,30\n', 'b.csv': places };
  await expect(read(files, { columns: PLACED, files: FILES })).rejects.toThrow(message);
});
