/** Changes to a made-up table of monthly rain, and the doubts that they raise. */
import { describe, expect, test } from 'vitest';
import { addMonths, monthOf, periodRange, yearOf } from '../../../../pipeline/contract/months.ts';
import { type ComparedRow, compareRows } from '../../../../pipeline/intake/compare/compare-rows.ts';
import { doubtsOfRows } from '../../../../pipeline/intake/compare/doubts.ts';

const PLACES = Array.from({ length: 12 }, (_, i) => `S${1 + Math.floor(i / 4)}-${i}`);
const rainOf = (place: number, period: string) =>
  50 + 5 * place + 0.01 * (yearOf(period) - 2020) + 40 * Math.cos((2 * Math.PI * (monthOf(period) - 8)) / 12);
const row = (place: number, period: string, rain = rainOf(place, period)): ComparedRow => ({
  key: `${PLACES[place]} ${period}`,
  place: PLACES[place]!,
  state: PLACES[place]!.slice(0, 2),
  group: period.slice(0, 4),
  period,
  words: {},
  numbers: { rain },
});
const table = (first = '2020-01', last = '2022-12') =>
  PLACES.flatMap((_, i) => periodRange(first, last).map((period) => row(i, period)));
const before = table();
const compare = (after: ComparedRow[]) => compareRows(before, after);
const doubts = async (after: ComparedRow[]) => doubtsOfRows('climate', await compare(after));
const times = (factor: number, which: (one: ComparedRow) => boolean) =>
  before.map((one) => (which(one) ? { ...one, numbers: { rain: one.numbers.rain! * factor } } : one));

test('an unchanged table raises no doubts', async () => {
  const found = await compare(table());
  expect(found.rows).toEqual({ was: 432, is: 432, added: 0, removed: 0, changed: 0 });
  expect(found.places[0]).toMatchObject({ places: 12, months_shifted: 0 });
  expect(found.places[0]!.rank_correlation).toBeCloseTo(1, 12);
  expect(await doubts(table())).toEqual([]);
});

test('an added month is compared with the same month of earlier years', async () => {
  const found = await compare(table('2020-01', '2023-01'));
  expect(found.rows).toMatchObject({ added: 12, removed: 0, changed: 0 });
  expect(found.reporting).toEqual([{ period: '2023-01', places: 12, before: 12 }]);
  const [first] = found.added_months;
  expect(first).toMatchObject({ of: 'added months of S1', rows: 4 });
  expect(first!.is / first!.was).toBeCloseTo(1, 2);
  expect(await doubts(table('2020-01', '2023-01'))).toEqual([]);
});

test('a corrected row raises no doubt; a missing row does', async () => {
  expect(await doubts(before.with(7, { ...before[7]!, numbers: { rain: 60 } }))).toEqual([]);
  expect(await doubts(before.slice(1))).toEqual(['1 of 432 rows are gone']);
});

describe('errors in which every single value is plausible', () => {
  const cases: [name: string, after: ComparedRow[], doubt: RegExp][] = [
    ['another unit', times(0.1, () => true), /sum of rain has changed in S\d \(1\/10\.0\), S\d \(1\/10\.0\), S\d/],
    ['another unit in one state', times(1 / 25.4, ({ state }) => state === 'S2'), /has changed in S2 \(1\/25\.4\)$/],
    ['another unit in one year', times(0.01, ({ group }) => group === '2021'), /has changed in 2021 \(1\/100\)/],
    [
      'another unit in the new month',
      [
        ...before,
        ...table('2023-01', '2023-01').map((one) => ({ ...one, numbers: { rain: one.numbers.rain! / 25.4 } })),
      ],
      /sum of rain differs from the same months of earlier years in added months of S\d \(1\/25/,
    ],
    [
      'months shifted by one',
      before.map((one) =>
        row(PLACES.indexOf(one.place), one.period!, rainOf(PLACES.indexOf(one.place), addMonths(one.period!, 1))),
      ),
      /rain: the seasonal cycle has shifted by -1\.0 months/,
    ],
    [
      'values shifted by a place',
      before.map((one) =>
        row(PLACES.indexOf(one.place), one.period!, rainOf((PLACES.indexOf(one.place) + 1) % 12, one.period!)),
      ),
      /rain: the order of the 12 places has changed/,
    ],
    [
      'two months of one year exchanged',
      before.map((one) => {
        const other = { '2021-01': '2021-07', '2021-07': '2021-01' }[one.period!];
        return other ? row(PLACES.indexOf(one.place), one.period!, rainOf(PLACES.indexOf(one.place), other)) : one;
      }),
      /sum of rain has changed in 2021-01 \(/,
    ],
    [
      'a copy of the same month of the previous year',
      [
        ...before,
        ...before
          .filter(({ period }) => period === '2022-01')
          .map((one) => ({ ...one, key: `${one.place} 2023-01`, period: '2023-01' })),
      ],
      /rain: 2023-01 repeats the figures of 2022-01 \(12 of 12 places\)/,
    ],
    [
      'a copy of an added month four months earlier',
      [
        ...before,
        ...table('2023-01', '2023-01'),
        ...table('2023-01', '2023-01').map((one) => ({ ...one, key: `${one.place} 2023-05`, period: '2023-05' })),
      ],
      /rain: 2023-05 repeats the figures of 2023-01 \(12 of 12 places\)/,
    ],
    [
      'one place ten times too high in the new month',
      [...before, ...table('2023-01', '2023-01').with(0, row(0, '2023-01', 10 * rainOf(0, '2023-08')))],
      /rain: S1-0 has 10\.\d times its previous maximum in 2023-01/,
    ],
    [
      'some places missing from the new month',
      [...before, ...table('2023-01', '2023-01').slice(3)],
      /2023-01: 9 places report, compared with 12 in the last accepted month/,
    ],
  ];
  test.each(cases)('%s', async (_, after, doubt) => {
    expect((await doubts(after)).join('\n')).toMatch(new RegExp(doubt.source, 'm'));
  });
});

test('late reports for the last months raise no doubt; a rewritten record does, even if it has few rows', async () => {
  const many = Array.from({ length: 60 }, (_, i) =>
    periodRange('2020-01', '2022-12').map((period) => ({ ...row(0, period), key: `P${i} ${period}`, place: `P${i}` })),
  ).flat();
  const changed = (which: (one: ComparedRow) => boolean) =>
    many.map((one) => (which(one) ? { ...one, numbers: { rain: one.numbers.rain! * 1.1 } } : one));
  const doubtsOf = async (after: ComparedRow[]) => doubtsOfRows('cases_lgas', await compareRows(many, after));
  expect(await doubtsOf(changed(({ period, place }) => period! > '2022-11' && place > 'P3'))).toEqual([]);
  expect(await doubtsOf(changed(({ place }) => place === 'P7'))).toEqual([
    'most existing rows have changed in P7 (36 of 36)',
  ]);
});

test('a census may grow by a few per cent', async () => {
  const census = (factor: number) =>
    PLACES.map((place, i) => ({
      key: place,
      place,
      state: place.slice(0, 2),
      group: '',
      period: null,
      words: {},
      numbers: { people: factor * (1000 + 100 * i) },
    }));
  const doubtsOf = async (after: ComparedRow[]) =>
    doubtsOfRows('population_census', await compareRows(census(1), after));
  expect(await doubtsOf(census(1.03))).toEqual([]);
  expect(await doubtsOf(census(1.33))).toEqual(['the sum of people has changed in all rows (1.33 times)']);
  const one = census(1).with(3, { ...census(1)[3]!, numbers: { people: 10_000 } });
  expect((await doubtsOf(one)).join()).toContain('in S1-3 (7.69 times)');
});
