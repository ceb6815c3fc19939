import { describe, expect, test } from 'vitest';
import { type Table, toRows } from '../../../pipeline/lib/tables/table.ts';
import { LGAS, type TinyCountry } from '../../support/tiny-country.ts';
import { addCovariate } from '../covariates.ts';
import { read, refuses } from './broken.ts';

/** Adds a covariate from a table. */
const table =
  (text: string, source: Record<string, unknown> = {}, entry: Record<string, unknown> = {}) =>
  (country: TinyCountry) => {
    country.files['x.csv'] = text;
    addCovariate({ format: 'csv', columns: { lga_pcode: 'lga', value: 'x' }, ...source }, entry)(country);
  };
const ROWS = LGAS.map((code, i) => `${code},${i}\n`);
const without = (i: number) => `lga,x\n${ROWS.filter((_, k) => k !== i).join('')}`;
const short = { files: [{ path: 'x.csv', rows: 3 }] };
const gap = (fields: Record<string, unknown>) => ({
  ...short,
  gaps: [{ lga_pcode: LGAS[1], reason: 'lost', ...fields }],
});
const MONTHS = {
  columns: { state_pcode: 'state', year: 'year', month: 'month', value: 'x' },
  span: { first: '2015-01', last: '2015-02' },
};
const months = (rows: string) => table(`state,year,month,x\n${rows}`, MONTHS, { time: 'mean' });

const rows = async (change: (country: TinyCountry) => void) => {
  const { tables } = await read(change);
  const found = toRows<{ lga_code: string; time: string | null; value: number }>((tables.covariates as Table).columns);
  return { rows: found.map(({ lga_code, time, value }) => `${lga_code} ${time} ${value}`), report: tables.report };
};

test('an LGA gets its value from the table, a declared gap is filled by its rule', async () => {
  expect((await rows(table(`lga,x\n${ROWS.join('')}`))).rows).toEqual(LGAS.map((code, i) => `${code} null ${i}`));
  expect((await rows(table(without(1), gap({ rule: 'neighbours' })))).rows[1]).toBe(`${LGAS[1]} null 1`);
  const { rows: valued, report } = await rows(table(without(1), gap({ rule: 'value', value: 9 })));
  expect(valued[1]).toBe(`${LGAS[1]} null 9`);
  expect(report).toContainEqual({ source: 'x', rule: 'value', what: `${LGAS[1]} Place 2: lost` });
});

test('monthly values by state are assigned to each LGA, in order', async () => {
  const { rows: found } = await rows(months('NG001,2015,2,4\nNG001,2015,1,3\nNG002,2015,1,5\nNG002,2015,2,6\n'));
  expect(found.slice(0, 3)).toEqual([`${LGAS[0]} 2015-01 3`, `${LGAS[0]} 2015-02 4`, `${LGAS[1]} 2015-01 3`]);
  expect(found).toHaveLength(8);
});

test('numbers of people by class become a mean, as for a layer', async () => {
  const walk = table(`lga,near,far\n${LGAS.map((code) => `${code},1,3\n`).join('')}`, {
    columns: { lga_pcode: 'lga' },
    classes: [
      { column: 'near', midpoint: 10 },
      { column: 'far', midpoint: 50 },
    ],
  });
  expect((await rows(walk)).rows[0]).toBe(`${LGAS[0]} null 40`);
});

describe('a table is refused without', () => {
  refuses([
    [
      'an LGA',
      table(without(1), short),
      /x\.csv, NG001002 Place 2: found no value, expected a value, or a gap declared/,
    ],
    ['a value', table(`lga,x\n${ROWS.join('').replace(',1', ',')}`), /NG001002 Place 2: found no value/],
    [
      'a neighbour with a value',
      table(`lga,x\n${ROWS[3]}`, { ...gap({ rule: 'neighbours' }), files: [{ path: 'x.csv', rows: 1 }] }),
      /NG001001 Place 1: found no value/,
    ],
    [
      'a month',
      months('NG001,2015,1,4\nNG001,2015,2,3\nNG002,2015,1,5\nNG002,2015,3,6\n'),
      /NG001001 Place 1: found no value for 2015-03/,
    ],
    [
      'the months of its span',
      months('NG001,2015,1,4\nNG002,2015,1,5\n'),
      /found months from 2015-01 to 2015-01, expected 2015-01 to 2015-02/,
    ],
    [
      'enough rows',
      table(`lga,x\n${ROWS.join('')}`, { files: [{ path: 'x.csv', rows: 5 }] }),
      /found 4 rows, expected 5 or more/,
    ],
    ['unique rows', table(`lga,x\n${ROWS.join('')}${ROWS[0]}`), /lga_pcode NG001001, as in row 2/],
    [
      'a number',
      table(`lga,x\n${ROWS.join('').replace(',1', ',high')}`),
      /row 3, value: found "high", expected a number/,
    ],
    [
      'values in range',
      table(`lga,x\n${ROWS.join('')}`, { ranges: { value: [0, 2] } }),
      /row 5, value: found 3, expected 0 to 2/,
    ],
  ]);
});
