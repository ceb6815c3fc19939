/** Changes to a made-up table of monthly rain, and the doubts that they raise. */
import { describe, expect, test } from 'vitest';
import { ROLES, type Role, roleDefinition } from '../../../../pipeline/catalog/roles.ts';
import type { Source } from '../../../../pipeline/catalog/sources.ts';
import { addMonths, calendarMonth, calendarYear, periodRange } from '../../../../pipeline/contract/months.ts';
import { RawTable } from '../../../../pipeline/ingest/readers/raw-table.ts';
import { type ComparedRow, compareRows } from '../../../../pipeline/intake/compare/compare-rows.ts';
import { describeRatio, rowDoubts } from '../../../../pipeline/intake/compare/doubts.ts';
import { comparedRows } from '../../../../pipeline/intake/compare/read-rows.ts';
import { InputLocation } from '../../../../pipeline/lib/bad-input.ts';

const PLACES = Array.from({ length: 12 }, (_, i) => `S${1 + Math.floor(i / 4)}-${i}`);
const rainOf = (place: number, period: string) =>
  50 +
  5 * place +
  0.01 * (calendarYear(period) - 2020) +
  40 * Math.cos((2 * Math.PI * (calendarMonth(period) - 8)) / 12);
const row = (place: number, period: string, rain = rainOf(place, period)): ComparedRow => ({
  key: `${PLACES[place]} ${period}`,
  place: PLACES[place]!,
  state: PLACES[place]!.slice(0, 2),
  group: period.slice(0, 4),
  period,
  texts: {},
  numbers: { rain },
});
const table = (first = '2020-01', last = '2022-12') =>
  PLACES.flatMap((_, i) => periodRange(first, last).map((period) => row(i, period)));
const before = table();
const compare = (after: ComparedRow[]) => compareRows(before, after);
const doubts = async (after: ComparedRow[]) => rowDoubts('climate', await compare(after));
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

test('a ratio near 1 is not written as a fraction of 1', () => {
  expect([1.004, 0.999, 0.85, 0.05].map(describeRatio)).toEqual(['1.00 times', '0.999 times', '0.850 times', '1/20.0']);
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

describe('errors in a part of the record', () => {
  const at = (which: (one: ComparedRow) => boolean, rain: (one: ComparedRow) => number, from = before) =>
    from.map((one) => (which(one) ? { ...one, numbers: { rain: rain(one) } } : one));
  const figure = (place: string, period: string) =>
    before.find((one) => one.place === place && one.period === period)!.numbers.rain!;
  // Values of three decimals, so that no two are equal by chance.
  const added = table('2023-01', '2023-12').map((one, i) => ({
    ...one,
    numbers: { rain: Number((one.numbers.rain! * (1 + (i % 7) / 50)).toFixed(3)) },
  }));
  const cases: [name: string, after: ComparedRow[], doubt: RegExp][] = [
    [
      "a state's total in one of its areas",
      at(
        ({ key }) => key === 'S1-0 2021-03',
        (one) => 30 * one.numbers.rain!,
      ),
      /rain: S1-0 has 30\.0 times its former figure in 2021-03\n.*S1-0 has \d\.\d+ times its previous maximum in 2021-03/,
    ],
    [
      'suspected instead of confirmed in three months',
      at(
        ({ place, period }) => place === 'S1-0' && period! >= '2021-03' && period! <= '2021-05',
        (one) => 2.5 * one.numbers.rain!,
      ),
      /S1-0 has 2\.50 times its former figure in 2021-03, .*2021-05.*2021-04$/,
    ],
    [
      'a state without rain in a month',
      at(
        ({ state, period }) => state === 'S2' && period === '2021-08',
        () => 0,
      ),
      /rain: S2-4 has now 0/,
    ],
    [
      'two areas exchanged in a month',
      at(
        ({ key }) => key === 'S1-0 2021-02' || key === 'S3-11 2021-02',
        ({ place, period }) => figure(place === 'S1-0' ? 'S3-11' : 'S1-0', period!),
      ),
      /^exchanged values: rain of S1-0 and S3-11$/,
    ],
  ];
  test.each(cases)('%s', async (_, after, doubt) => {
    expect((await doubts(after)).join('\n')).toMatch(new RegExp(doubt.source, 'm'));
  });

  test('an honest year, and single corrections, raise no doubt', async () => {
    expect(await doubts([...before, ...added])).toEqual([]);
    expect(
      await doubts(
        at(
          ({ key }) => /-[05] 2021-0[37]$/.test(key),
          (one) => 1.4 * one.numbers.rain!,
        ),
      ),
    ).toEqual([]);
  });
});

describe('rounds of a survey', () => {
  const clusters = (years: number[], change: (one: ComparedRow) => ComparedRow | null = (one) => one) =>
    years.flatMap((year) =>
      ['microscopy', 'rdt'].flatMap((method) =>
        Array.from({ length: 40 }, (_, i): ComparedRow | null => {
          const examined = 15 + ((7 * i + year) % 11);
          const texts = { method, urban: i % 3 ? 'false' : 'true', period: `${year}-10` };
          const numbers = {
            examined,
            positivity: (i % 9) / 20,
            longitude: 3 + i / 10,
            latitude: 5 + (i % 6) / 10,
            weight: 1 + i / 50,
          };
          return change({
            key: `${year} ${i} ${method}`,
            place: `S${i % 4}-${i % 8}`,
            state: `S${i % 4}`,
            group: `${year} ${method}`,
            period: `${year}-10`,
            texts: texts,
            numbers,
          });
        }).filter((one) => one !== null),
      ),
    );
  const of = async (after: ComparedRow[]) =>
    rowDoubts('survey_clusters', await compareRows(clusters([2015, 2018]), after));

  test('every column is compared, whether it holds numbers or words', async () => {
    const changes: [column: string, (one: ComparedRow) => ComparedRow][] = [
      ['longitude', (one) => ({ ...one, numbers: { ...one.numbers, longitude: one.numbers.longitude! + 0.1 } })],
      ['weight', (one) => ({ ...one, numbers: { ...one.numbers, weight: one.numbers.weight! * 1.1 } })],
      ['urban', (one) => ({ ...one, texts: { ...one.texts, urban: 'true' } })],
      ['period', (one) => ({ ...one, texts: { ...one.texts, period: '2018-11' } })],
    ];
    for (const [column, change] of changes)
      expect((await of(clusters([2015, 2018], change)))[0]).toMatch(
        new RegExp(`^\\d+ of the 160 rows in both files have changed \\(${column}\\)$`),
      );
  });

  test('a round may be added; one with multiplied numbers or without a method raises a doubt', async () => {
    expect(await of(clusters([2015, 2018, 2021]))).toEqual([]);
    const ten = (one: ComparedRow) =>
      one.group.startsWith('2021')
        ? { ...one, numbers: { ...one.numbers, examined: 10 * one.numbers.examined! } }
        : one;
    expect(await of(clusters([2015, 2018, 2021], ten))).toEqual([
      expect.stringMatching(
        /^the mean of examined differs from the round before in 2021 \S+ \(1?\d\.\d+ times\), 2021/,
      ),
    ]);
    const one = (row: ComparedRow) => (row.group === '2021 rdt' ? null : row);
    expect(await of(clusters([2015, 2018, 2021], one))).toEqual([
      'no rows of 2021 rdt, a method that the round before has',
    ]);
  });

  test('a state that is rewritten in a round raises a doubt, though its rows are few', async () => {
    const large = clusters([2009, 2012, 2015, 2018]).flatMap((row) =>
      Array.from({ length: 10 }, (_, i) => ({
        ...row,
        key: `${row.key} ${i}`,
        state: `${row.state}${i}`,
        place: `${row.place}${i}`,
      })),
    );
    const shifted = large.map((row) =>
      row.state === 'S21' && row.group === '2018 rdt'
        ? { ...row, numbers: { ...row.numbers, positivity: row.numbers.positivity! + 0.01 } }
        : row,
    );
    expect(rowDoubts('survey_clusters', await compareRows(large, shifted))).toEqual([
      'most existing rows have changed in S21 in 2018 rdt (10 of 10)',
    ]);
  });
});

test('a corrected layer, unlike a new one, keeps most of its rows; a table of codes keeps all', async () => {
  const layer = (change: (value: number, i: number) => number) =>
    Array.from({ length: 60 }, (_, i) => ({
      key: `P${i}`,
      place: `P${i}`,
      state: `S${Math.floor(i / 6)}`,
      group: '',
      period: null,
      texts: {},
      numbers: { itn_use: change(0.2 + i / 150, i) },
    }));
  const before = layer((value) => value);
  const of = async (role: 'layer' | 'lga_codes', after: ComparedRow[]) =>
    rowDoubts(role, await compareRows(before, after));
  expect(
    await of(
      'layer',
      layer((value, i) => value + 0.01 * (i % 3)),
    ),
  ).toEqual([]);
  expect(
    await of(
      'layer',
      layer((value, i) => (i < 2 ? 1.1 * value : value)),
    ),
  ).toEqual([]);
  expect(
    await of(
      'layer',
      layer((value, i) => (i < 6 ? 1.02 * value : value)),
    ),
  ).toEqual(['6 of the 60 rows in both files have changed (itn_use)']);
  expect(
    await of(
      'layer',
      layer((value, i) => (i === 5 ? 0 : value)),
    ),
  ).toEqual(['the sum of itn_use has changed in P5 (now 0)']);
  expect(
    await of(
      'lga_codes',
      layer((value, i) => (i === 5 ? 1.01 * value : value)),
    ),
  ).toEqual(['1 of the 60 rows in both files have changed (itn_use)']);
});

test('late reports for the last months raise no doubt; a rewritten record does, even if it has few rows', async () => {
  const many = Array.from({ length: 60 }, (_, i) =>
    periodRange('2020-01', '2022-12').map((period) => ({ ...row(0, period), key: `P${i} ${period}`, place: `P${i}` })),
  ).flat();
  const changed = (which: (one: ComparedRow) => boolean) =>
    many.map((one) => (which(one) ? { ...one, numbers: { rain: one.numbers.rain! * 1.1 } } : one));
  const doubtsOf = async (after: ComparedRow[]) => rowDoubts('cases_lgas', await compareRows(many, after));
  expect(await doubtsOf(changed(({ period, place }) => period! > '2022-11' && place > 'P3'))).toEqual([]);
  expect(await doubtsOf(changed(({ place }) => place === 'P7'))).toEqual([
    'most existing rows have changed in P7 (36 of 36)',
  ]);
});

test('an added month whose rows have slipped by one in a state raises a doubt', async () => {
  const months = (first: string, last: string, of: (i: number) => number) =>
    Array.from({ length: 24 }, (_, i) => {
      const place = `S${i < 12 ? 1 : 2}-${10 + i}`;
      return periodRange(first, last).map((period) => ({
        ...row(0, period, 100 + 20 * ((5 * of(i)) % 12) + 0.137 * i + calendarYear(period) - 2020),
        key: `${place} ${period}`,
        place,
        state: place.slice(0, 2),
      }));
    }).flat();
  const earlier = months('2020-01', '2022-12', (i) => i);
  const doubtsOf = async (of: (i: number) => number) =>
    rowDoubts('cases_lgas', await compareRows(earlier, [...earlier, ...months('2023-01', '2023-01', of)]));
  expect(await doubtsOf((i) => i)).toEqual([]);
  expect(await doubtsOf((i) => (i < 12 ? (i + 1) % 12 : i))).toContain(
    'rain: in the added months rows seem to have slipped by one in S1',
  );
});

test('a census may grow by a few per cent', async () => {
  const census = (factor: number) =>
    PLACES.map((place, i) => ({
      key: place,
      place,
      state: place.slice(0, 2),
      group: '',
      period: null,
      texts: {},
      numbers: { people: factor * (1000 + 100 * i) },
    }));
  const doubtsOf = async (after: ComparedRow[]) => rowDoubts('population_census', await compareRows(census(1), after));
  expect(await doubtsOf(census(1.03))).toEqual([]);
  expect(await doubtsOf(census(1.33))).toEqual(['the sum of people has changed in all rows (1.33 times)']);
  const one = census(1).with(3, { ...census(1)[3]!, numbers: { people: 10_000 } });
  expect((await doubtsOf(one)).join()).toContain('in S1-3 (7.69 times)');
});

test('the same months in another form are no change; every column of a role is compared', () => {
  const source = { role: 'survey_clusters' } as Source;
  const read = (columns: string[], ...cells: (string | null)[]) => {
    const about = { columns: new Set(columns), counts: [], ranges: {}, months: undefined };
    const values = Object.fromEntries(columns.map((name, i) => [name, cells[i]!]));
    return comparedRows(new RawTable(new InputLocation('x.csv'), about, [{ line: 2, values }]), source, [])[0]!;
  };
  const whole = read(['survey_year', 'period', 'method'], '2018', '2018-09', 'rdt');
  expect(whole).toEqual(read(['survey_year', 'year', 'month', 'method'], '2018', '2018', '9', 'rdt'));
  for (const role of Object.keys(ROLES) as Role[]) {
    const { columns, optional = [], exactlyOneOf = [] } = roleDefinition(role);
    const all = [...columns, ...optional, ...exactlyOneOf.flat()];
    const { texts, numbers } = read(all, ...all.map(() => '1'));
    const times = ['year', 'month'];
    expect([...Object.keys(texts), ...Object.keys(numbers)].sort()).toEqual(
      [...new Set([...all.filter((name) => !times.includes(name)), 'period'])].sort(),
    );
  }
});

test('places without an upper-level area are counted once where an added month repeats another', async () => {
  const stateless = (rows: readonly ComparedRow[]) => rows.map((one) => ({ ...one, state: '' }));
  const repeats = async (places: number) => {
    const added = PLACES.map((_, i) => row(i, '2023-01', i < places ? rainOf(i, '2022-08') : 1000 + i));
    return (await compareRows(stateless(before), stateless([...before, ...added]))).repeated;
  };
  expect(await repeats(8)).toEqual([{ column: 'rain', of: '2023-01', as: '2022-08', rows: 12, same: 8 }]);
  expect(await repeats(4)).toEqual([]);
});
