import { describe, expect, test } from 'vitest';
import { type Table, toRows } from '../../../pipeline/lib/tables/table.ts';
import { LGAS, type TinyCountry } from '../../support/tiny-country.ts';
import { addCovariate } from '../covariates.ts';
import { read, refuses } from './broken.ts';

/** Adds a covariate from a table. */
const table =
  (text: string, source: Record<string, unknown> = {}) =>
  (country: TinyCountry) => {
    country.files['x.csv'] = text;
    addCovariate({ format: 'csv', columns: { lga_pcode: 'lga', value: 'x' }, ...source })(country);
  };
const ROWS = LGAS.map((code, i) => `${code},${i}\n`);
const without = (i: number) => `lga,x\n${ROWS.filter((_, k) => k !== i).join('')}`;
const short = { files: [{ path: 'x.csv', rows: 3 }] };
const gap = (fields: Record<string, unknown>) => ({
  ...short,
  gaps: [{ lga_pcode: LGAS[1], reason: 'lost', ...fields }],
});

const rows = async (change: (country: TinyCountry) => void) => {
  const { tables } = await read(change);
  const found = toRows<{ lga_code: string; value: number }>((tables.covariates as Table).columns);
  return { rows: found.map(({ lga_code, value }) => `${lga_code} ${value}`), report: tables.report };
};

test('an LGA gets its value from the table, a declared gap is filled by its rule', async () => {
  expect((await rows(table(`lga,x\n${ROWS.join('')}`))).rows).toEqual(LGAS.map((code, i) => `${code} ${i}`));
  expect((await rows(table(without(1), gap({ rule: 'neighbours' })))).rows[1]).toBe(`${LGAS[1]} 1`);
  const { rows: valued, report } = await rows(table(without(1), gap({ rule: 'value', value: 9 })));
  expect(valued[1]).toBe(`${LGAS[1]} 9`);
  expect(report).toContainEqual({ source: 'x', rule: 'value', what: `${LGAS[1]} Place 2: lost` });
});

test('values by state are assigned to each LGA, in order', async () => {
  const states = { columns: { state_pcode: 'state', value: 'x' }, files: [{ path: 'x.csv', rows: 2 }] };
  const { rows: found } = await rows(table('state,x\nNG002,5\nNG001,3\n', states));
  expect(found).toEqual(LGAS.map((code, i) => `${code} ${i < 2 ? 3 : 5}`));
});

test('numbers of people by class become a mean, as for a layer', async () => {
  const walk = table(`lga,near,far\n${LGAS.map((code) => `${code},1,3\n`).join('')}`, {
    columns: { lga_pcode: 'lga' },
    classes: [
      { column: 'near', midpoint: 10 },
      { column: 'far', midpoint: 50 },
    ],
  });
  expect((await rows(walk)).rows[0]).toBe(`${LGAS[0]} 40`);
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
