import { expect, test } from 'vitest';
import { findSiblings } from '../../../pipeline/ingest/siblings.ts';

const ROWS = 60;
/** Numbers of each row, around a mean. */
const around = (mean: number, nth: number) =>
  Array.from({ length: ROWS }, (_, row) => Math.round(mean * (1 + Math.sin(nth + row * (1 + nth)) / 2)));
const plus = (...parts: number[][]) => parts[0]!.map((_, row) => parts.reduce((sum, part) => sum + part[row]!, 0));
const [young, old, pregnant] = [around(40, 1), around(60, 2), around(15, 3)];

const found = (columns: Record<string, number[]>, ...taken: string[]) =>
  findSiblings(
    Object.entries(columns).map(([column, numbers]) => ({ column, numbers, isTaken: taken.includes(column) })),
  ).map(({ column, total }) => (total === null ? column : `${column}, to ${total}`));

test.each<[string, string[], string[]]>([
  ['pregnancy', ['conf_u5', 'conf_ov5', 'conf_preg'], ['conf_preg']],
  ['the other two', ['conf_preg', 'conf_u5', 'conf_ov5'], ['conf_u5', 'conf_ov5']],
  ['wards', ['Malaria confirmed, OPD', 'Malaria confirmed, IPD', 'Malaria confirmed, CHW'], []],
  ['tests', ['TDR positifs', 'GE positifs', 'PCR positifs'], []],
])('headings that differ in one part, for which no word is known: %s', (_, columns, expected) => {
  const numbers = [young, old, pregnant];
  const table = Object.fromEntries(columns.map((name, i) => [name, numbers[i]!]));
  const unused = columns.length - expected.length === 2 ? columns.slice(2) : columns.slice(1);
  const taken = columns.filter((name) => !unused.includes(name));
  expect(found(table, ...taken)).toEqual(expected.length > 0 ? expected : unused);
});

test('columns that add up to a total that is not taken either, whatever they are called', () => {
  const table = { cases: young, autres: old, registre: plus(young, old) };
  expect(found(table, 'cases')).toEqual(['autres, to registre']);
  const other = { ...table, registre: plus(young, old).map((n, row) => n + (row % 3)) };
  expect(found(other, 'cases')).toEqual([]);
});

test.each<[string, Record<string, number[]>, string[]]>([
  ['parts of a total that is taken', { conf: plus(young, old), conf_u5: young, conf_ov5: old }, ['conf']],
  ['those tested', { 'malaria positive': young, 'malaria tested': plus(young, old) }, ['malaria positive']],
  [
    'negatives, which add up to those tested',
    { 'malaria positive': young, 'malaria negative': old, 'malaria tested': plus(young, old) },
    ['malaria positive'],
  ],
  [
    'those treated',
    { 'malaria confirmed': young, 'malaria confirmed treated': young.map((n) => n - 1) },
    ['malaria confirmed'],
  ],
  ['little of it', { conf_u5: young, conf_preg: young.map((_, row) => +(row === 0)) }, ['conf_u5']],
  ['other headings', { cases: young, stockouts: old }, ['cases']],
  ['other years', { 'cases 2020': young, 'cases 2021': old }, ['cases 2020']],
  ['shares', { conf_rate: young.map((n) => n / 100), conf_n: young }, ['conf_n']],
])('no question about %s', (_, columns, taken) => {
  expect(found(columns, ...taken)).toEqual([]);
});

test('of 100 cases of tests by age and pregnancy in two columns, the other four', () => {
  const names = [
    'RDT <5yrs',
    'RDT ≥5yrs (excl PW)',
    'RDT PW',
    'Microscopy <5yrs',
    'Microscopy ≥5yrs (excl PW)',
    'Microscopy PW',
  ];
  const positives = names.map((name) => `Persons tested positive for malaria by ${name}`);
  const tested = names.map((name) => `Persons presenting with fever & tested by ${name}`);
  const numbers = names.map((_, i) => around(100 - 12 * i, i));
  const table = Object.fromEntries([
    ...tested.map((name, i) => [name, numbers[i]!.map((n) => 2 * n)]),
    ...positives.map((name, i) => [name, numbers[i]!]),
  ]);
  const [, , rdt, young, old, microscopy] = positives as [string, string, string, string, string, string];
  expect(found(table, rdt, microscopy)).toEqual([positives[0], positives[1], young, old]);
});
