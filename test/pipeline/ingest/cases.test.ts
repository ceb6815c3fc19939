import { expect, test } from 'vitest';
import { countryWords, wordingInCountry } from '../../../pipeline/contract/words.ts';
import { groupCases } from '../../../pipeline/ingest/case-series.ts';
import { TERRITORY } from '../../../pipeline/synthetic/states.ts';
import { outputRows } from '../../support/stage-io.ts';
import { sourceIn, type TinyCountry } from '../../support/tiny-country.ts';
import { read } from './broken.ts';

/** The tiny country's cases up to a month, and from another one on in a file of another form. */
const inTwo = (last: string, first: string) => (country: TinyCountry) => {
  const [header, ...rows] = String(country.files['cases.csv']).trim().split('\n');
  const monthOf = (row: string) => row.split(',')[1]!;
  const later = rows.filter((row) => monthOf(row) >= first).map((row) => row.split(','));
  country.files['cases.csv'] = `${[header, ...rows.filter((row) => monthOf(row) <= last)].join('\n')}\n`;
  country.files['later.csv'] =
    `${['n;region;when', ...later.map(([state, month, n]) => `${n};${state};${month}`)].join('\n')}\n`;
  const cases = sourceIn(country, 'cases');
  Object.assign(cases, { span: { first: '2018-01', last }, files: [{ path: 'cases.csv', rows: 1 }] });
  country.sources.push({
    ...cases,
    id: 'later',
    dialect: { separator: ';' },
    columns: { state_pcode: 'region', period: 'when', confirmed: 'n' },
    span: { first, last: '2021-12' },
    gaps: [{ rule: 'mask', state_pcode: 'NG001', first: '2021-06', last: '2021-06', reason: 'a test' }],
    files: [{ path: 'later.csv', rows: 1 }],
  });
};
type Read = Awaited<ReturnType<typeof read>>;
const seriesOf = ({ tables }: Read) => groupCases(outputRows(tables.cases)).states;

test('a record that another file continues is one series; months between the two are unknown', async () => {
  const [whole] = seriesOf(await read());
  const both = await read(inTwo('2019-12', '2020-03'));
  const [found, ...more] = seriesOf(both);
  expect(more).toEqual([]);
  expect(found).toEqual({
    ...whole,
    confirmed: whole!.confirmed.map((value, t) => (t === 24 || t === 25 ? null : value)),
    masked: [41],
  });
  expect(
    both.tables.report.flatMap(({ rule, what }) =>
      rule === 'no record' ? wordingInCountry(what, countryWords(TERRITORY)) : [],
    ),
  ).toEqual([
    'no file has the cases of 2020-01 to 2020-02, between two files, of a place: kept as unknown, never as 0',
  ]);
});

test('a month of a place in two files is refused', async () => {
  await expect(read(inTwo('2020-03', '2020-03'))).rejects.toThrow(
    'sources.json, case sources: found AB, 2020-03 in two sources, expected each month of a place in one source',
  );
});
