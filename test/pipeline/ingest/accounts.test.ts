import { describe, expect, test } from 'vitest';
import type { Source } from '../../../pipeline/catalog/sources.ts';
import { accountForDeliveries, summarizeAccounts } from '../../../pipeline/ingest/accounts.ts';
import { doubtDeliveries } from '../../../pipeline/ingest/delivery-doubts.ts';
import type { AccountRow, CasesRow, CensusRow, Cluster } from '../../../pipeline/ingest/ingest-tables.ts';
import { recordDelivery } from '../../../pipeline/ingest/readers/delivery.ts';
import { outputRows } from '../../support/stage-io.ts';
import { LGAS, sourceIn, type TinyCountry } from '../../support/tiny-country.ts';
import { read } from './broken.ts';

const ABOUT = { title: 'made for a test', producer: 'test', citation: 'test', licence: 'CC0-1.0', release: '1' };
const sum = (values: readonly (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0);

/** The numbers in a column of a file as it is written, without the project's readers. */
function numbersIn(content: string | Buffer, column: string): number[] {
  const [header, ...rows] = String(content)
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return rows.flatMap((row) => (row[header!.indexOf(column)] ? Number(row[header!.indexOf(column)]) : []));
}

/** Reads a changed tiny country: its accounts, its counts as published, and its files. */
async function account(change: (country: TinyCountry) => void = () => {}) {
  let files: TinyCountry['files'] = {};
  const { tables } = await read((country) => {
    change(country);
    files = country.files;
  });
  const rows = outputRows<AccountRow>(tables.accounts);
  const sums = (file: string, column: string) => {
    const own = rows.filter((row) => row.file === file && row.column === column);
    const of = (fate: AccountRow['fate']) => own.filter((row) => row.fate === fate);
    const leftOut = Object.fromEntries(of('left out').map(({ year, reason, sum }) => [`${year} ${reason}`, sum]));
    return { taken: sum(of('taken').map((row) => row.sum)), leftOut, all: sum(own.map((row) => row.sum)) };
  };
  return { tables, files, rows, sums };
}

describe('what a file delivered is what is taken and what is left out by rule', () => {
  test('cases: taken are those that are published, in every year', async () => {
    const { tables, files, rows, sums } = await account();
    const { taken, all } = sums('cases.csv', 'cases');
    expect(all).toBe(sum(numbersIn(files['cases.csv']!, 'cases')));
    const published = outputRows<CasesRow>(tables.cases);
    expect(taken).toBe(sum(published.map(({ confirmed }) => confirmed)));
    const byYear = Map.groupBy(published, ({ period }) => Number(period.slice(0, 4)));
    const ofCases = rows.filter(({ file, fate }) => file === 'cases.csv' && fate === 'taken');
    expect(ofCases.map(({ year, sum }) => [year, sum])).toEqual(
      [...byYear].map(([year, months]) => [year, sum(months.map(({ confirmed }) => confirmed))]),
    );
  });

  test('people and children examined: rounded, of one method and of the right ages', async () => {
    const { tables, files, sums } = await account((country) => {
      country.files['census.csv'] = String(country.files['census.csv']).replace(',100002,', ',100002.4,');
    });
    const people = sums('census.csv', 'people');
    expect(people.leftOut).toEqual({ 'null rounded': expect.closeTo(0.4, 9) });
    expect(people.all).toBe(sum(numbersIn(files['census.csv']!, 'people')));
    expect(people.taken).toBe(sum(outputRows<CensusRow>(tables.census).map((row) => row.people)));
    const examined = sums('surveys.csv', 'n');
    expect(examined.all).toBe(sum(numbersIn(files['surveys.csv']!, 'n')));
    expect(examined.taken).toBe(sum(outputRows<Cluster>(tables.clusters).map((row) => row.examined)));
    expect(examined.all - examined.taken).toBe(sum(Object.values(examined.leftOut)));
  });

  const facilities =
    (change: object) =>
    ({ files, sources }: TinyCountry) => {
      const reports = [
        [1, 2, 4, 8, 16],
        [1, 2, 4, '', 16],
        ['', 2, 4, '', ''],
      ];
      const lines = reports.flatMap((cases, month) =>
        cases.map((value, i) => `Post ${i},${LGAS[0]},2021-0${month + 1},${value},${value},9`),
      );
      files['posts.csv'] = `hf,lga,month,rdt,slides,suspected\n${lines.join('\n')}\n`;
      sources.push({
        id: 'posts',
        role: 'cases_lgas',
        ...ABOUT,
        format: 'csv',
        unit: 'cases',
        columns: { facility: 'hf', lga_pcode: 'lga', period: 'month' },
        sums: { confirmed: ['rdt', 'slides'] },
        span: { first: '2021-01', last: '2021-03' },
        files: [{ path: 'posts.csv', rows: 1 }],
        ...change,
      });
    };
  test.each([
    ['left out, because too few reported', {}, { '2021 reporting': 6 }],
    ['made larger, because reports are missing', { reporting: { least: 0.3, scaled: true } }, null],
    ['left out by the catalog', { leave_out: [{ where: { facility: 'Post 1' }, reason: 'a test' }] }, null],
  ])('cases of facilities are %s', async (_, change, leftOut) => {
    const { tables, files, sums } = await account(facilities(change));
    const [rdt, slides] = [sums('posts.csv', 'rdt'), sums('posts.csv', 'slides')];
    for (const [column, one] of [['rdt', rdt] as const, ['slides', slides] as const])
      expect(one.all).toBe(sum(numbersIn(files['posts.csv']!, column)));
    const published = outputRows<CasesRow>(tables.cases).filter(({ lga_code }) => lga_code !== null);
    expect(rdt.taken + slides.taken).toBe(sum(published.map(({ confirmed }) => confirmed)));
    if (leftOut) expect(rdt.leftOut).toEqual(leftOut);
    else expect(rdt.leftOut).not.toEqual({});
    expect(sums('posts.csv', 'suspected')).toMatchObject({ taken: 0, leftOut: {}, all: 15 * 9 });
  });

  test('a total in a column beside its parts: a row counts one of the two, also where it is left out', async () => {
    const rows = Array.from({ length: 9 }, (_, i) => ({ young: 40 + ((7 * i) % 11), old: 70 + ((5 * i) % 13) }));
    const both = (i: number) => rows[i]!.young + rows[i]!.old;
    // First the total alone, then both for seven months, then the parts alone.
    const cells = rows.map(({ young, old }, i) => [i < 8 ? both(i) : '', i > 0 ? young : '', i > 0 ? old : '']);
    const { tables, files, sums } = await account((country) => {
      const lines = cells.map((row, i) => `${LGAS[0]},2021-0${i + 1},${i === 2 ? 50 : 100},${row}`);
      country.files['areas.csv'] = `lga,month,rate,all,young,old\n${lines.join('\n')}\n`;
      country.sources.push({
        id: 'areas',
        role: 'cases_lgas',
        ...ABOUT,
        format: 'csv',
        unit: 'cases',
        columns: { lga_pcode: 'lga', period: 'month', reporting_rate: 'rate' },
        sums: { confirmed: ['all', 'young', 'old'] },
        span: { first: '2021-01', last: '2021-09' },
        files: [{ path: 'areas.csv', rows: 1 }],
      });
    });
    const published = outputRows<CasesRow>(tables.cases).filter(({ lga_code }) => lga_code !== null);
    expect(published.map(({ confirmed }) => confirmed)).toEqual(rows.map((_, i) => (i === 2 ? null : both(i))));
    expect(published.map(({ reporting_rate }) => reporting_rate)).toEqual(rows.map((_, i) => (i === 2 ? 0.5 : 1)));
    const columns = ['all', 'young', 'old'].map((column) => sums('areas.csv', column));
    expect(sum(columns.map(({ taken }) => taken))).toBe(sum(published.map(({ confirmed }) => confirmed)));
    for (const [i, column] of ['all', 'young', 'old'].entries())
      expect(columns[i]!.all).toBe(sum(numbersIn(files['areas.csv']!, column)));
    const repeated = sum(rows.map((_, i) => (i > 0 && i < 8 ? both(i) : 0)));
    expect(columns[0]!.leftOut['2021 parts of a total']).toBe(repeated);
    expect(tables.report.map(({ what }) => what)).toContain(
      'areas.csv: "all" is "young" + "old" where all are filled: a row counts it or, where it is blank, its parts',
    );
  });

  test('cases that a later delivery replaces', async () => {
    const { tables, files, sums } = await account((country) => {
      const [header, ...rows] = String(country.files['cases.csv']).trim().split('\n');
      country.files['later.csv'] = `${[header, ...rows.filter((row) => row.includes(',2021-'))].join('\n')}\n`;
      sourceIn(country, 'cases').files = [
        { path: 'cases.csv', rows: 1 },
        { path: 'later.csv', rows: 1 },
      ];
    });
    const [first, later] = [sums('cases.csv', 'cases'), sums('later.csv', 'cases')];
    const replaced = sum(numbersIn(files['later.csv']!, 'cases'));
    expect(first.leftOut).toEqual({ '2021 later file': replaced });
    expect(later).toEqual({ taken: replaced, leftOut: {}, all: replaced });
    expect(first.taken + later.taken).toBe(sum(outputRows<CasesRow>(tables.cases).map(({ confirmed }) => confirmed)));
  });
});

const USED = [
  { projectColumn: 'lga', fileColumns: ['chiefdom'], indexes: [1] },
  { projectColumn: 'state', fileColumns: ['district'], indexes: [0] },
  { projectColumn: 'period', fileColumns: ['month'], indexes: [2] },
  { projectColumn: 'confirmed', fileColumns: ['cases'], indexes: [3] },
];
const HEADER = ['district', 'chiefdom', 'month', 'cases', 'stock', 'note'];
const CELLS = [
  ['North', 'Bo', '2021-01', '5', '-1.5', 'a'],
  ['South', 'Bo', '2021-01', null, '0', 'b'],
  ['South', 'Yei', '2022-01', '0', 'n/a', 'c'],
];

test('the key that tells rows apart is counted, and each cell is a number, blank or text', () => {
  const delivered = {
    ...recordDelivery({ id: 'cases' }, 'x.csv', HEADER, CELLS, USED),
    people: new Map([[2021, 100]]),
  };
  // Both chiefdoms are called Bo: neither the name nor name and month are enough.
  expect(delivered.rows.map(({ key }) => key)).toEqual(Array(3).fill('chiefdom + district'));
  const rows = accountForDeliveries([delivered]);
  const cells = { numbers: 1, blank: 0, text: 0, zero: 0, negative: 0, fractional: 0 };
  expect(rows.filter(({ column }) => column === 'cases')).toMatchObject([
    { ...cells, year: 2021, fate: 'taken', reason: 'confirmed', blank: 1, sum: 5, people: 100 },
    { ...cells, year: 2022, fate: 'taken', reason: 'confirmed', zero: 1, sum: 0, people: null },
  ]);
  expect(summarizeAccounts(rows)).toEqual([
    'x.csv: cases read: 2021 5 (50 per 1,000 people), 2022 0; 3 rows, told apart by chiefdom + district, 1 (2022-01) to 2 (2021-01) in a month',
  ]);
});

test('rows of districts and of their region are counted apart, by month', () => {
  const cells = ['2021-01', '2021-02'].flatMap((month) => [
    ['North', 'Bo', month, '5', '0', 'a'],
    ['North', 'Yei', month, '7', '0', 'a'],
    ['North', null, month, '12', '0', 'a'],
  ]);
  const [line] = summarizeAccounts(
    accountForDeliveries([recordDelivery({ id: 'cases' }, 'x.csv', HEADER, cells, USED)]),
  );
  expect(line).toContain(
    '4 rows, told apart by chiefdom + month, 2 in each month; 2 rows, told apart by month, 1 in each month',
  );
});

/** Doubts about a table of cases and reports received. */
function doubtTable(cells: (string | null)[][], dialect?: Source['dialect'], others = ['received']): string[] {
  const used = [
    { projectColumn: 'lga', fileColumns: ['lga'], indexes: [0] },
    { projectColumn: 'period', fileColumns: ['month'], indexes: [1] },
    { projectColumn: 'confirmed', fileColumns: ['cases'], indexes: [2] },
  ];
  const header = ['lga', 'month', 'cases', ...others];
  const delivery = recordDelivery({ id: 'cases', ...(dialect && { dialect }) }, 'cases.csv', header, cells, used);
  return doubtDeliveries([delivery]).map(({ what }) => String(what));
}
const monthly = (cases: (i: number) => number, received: (i: number) => number) =>
  Array.from({ length: 12 }, (_, i) => [
    'A',
    `2021-${String(i + 1).padStart(2, '0')}`,
    `${cases(i)}`,
    `${received(i)}`,
  ]);

test('0 cases where no report came are told, unless as few cases are usual', () => {
  const isSilent = (i: number): boolean => i === 4 || i === 5;
  const doubts = (usual: number, received = isSilent) =>
    doubtTable(
      monthly(
        (i) => (isSilent(i) ? 0 : usual + 31 * i),
        (i) => (received(i) ? 0 : 17 - (i % 2)),
      ),
    );
  expect(doubts(300)).toEqual([
    expect.stringMatching(/^cases\.csv: cases are 0 where "received" is, in 2 rows, and hundreds everywhere else\. /),
  ]);
  expect(doubts(20)).toEqual([]);
  expect(doubts(300, (i) => i === 4)).toEqual([]);
  expect(doubts(300, (i) => isSilent(i) || i === 7)).toEqual([]);
});

test('nines far above all other counts, in several rows, are no counts', () => {
  const doubts = (nine: number, rows: number) =>
    doubtTable(
      monthly(
        (i) => (i < rows ? nine : 300 + 31 * i),
        (i) => 17 - (i % 2),
      ),
    );
  expect(doubts(9999, 3)).toEqual([
    'cases.csv: 9999 in 3 rows of cases, where the next is 641. Nines mark missing values: leave these cells blank',
  ]);
  for (const [nine, rows] of [
    [9999, 2],
    [999, 3],
    [8888, 3],
    [9998, 3],
  ] as const)
    expect(doubts(nine, rows)).toEqual([]);
});

test('nines of four digits in several rows are no counts, however large the others are', () => {
  const cells = monthly(
    (i) => (i % 4 === 0 ? 9999 : 8000 + 31 * i),
    (i) => 17 - (i % 2),
  );
  expect(doubtTable(cells)).toEqual([
    expect.stringMatching(/^cases\.csv: 9999 in 3 rows of cases, where the next is 83\d\d/),
  ]);
});

test('a text among counts is told, such as a row of units', () => {
  const cells = monthly(
    (i) => 300 + 31 * i,
    (i) => 17 - (i % 2),
  );
  const units = ['', '', 'per 100 000 population', ''];
  expect(doubtTable([units, ...cells])).toEqual([
    expect.stringMatching(/^cases\.csv: "cases" has the text "per 100 000 population" among its numbers\. /),
  ]);
});

test('an unused column of a survey with the mean of sampling weights is asked about', () => {
  const used = [
    { projectColumn: 'cluster_id', fileColumns: ['cluster'], indexes: [0] },
    { projectColumn: 'survey_year', fileColumns: ['year'], indexes: [1] },
    { projectColumn: 'examined', fileColumns: ['examined'], indexes: [2] },
  ];
  const doubts = (weight: (i: number) => number) => {
    const cells = Array.from({ length: 40 }, (_, i) => [`${i}`, '2020', `${20 + (i % 7)}`, weight(i).toFixed(6)]);
    const header = ['cluster', 'year', 'examined', 'ponderacao'];
    const delivery = recordDelivery({ id: 'mis' }, 'mis.csv', header, cells, used);
    return doubtDeliveries([delivery]).map(({ what }) => String(what));
  };
  expect(doubts((i) => 0.5 + i / 39)).toEqual([
    expect.stringMatching(/^mis\.csv: "ponderacao" has the mean of sampling weights, and is not used\. /),
  ]);
  expect(doubts((i) => 3 * (0.5 + i / 39))).toEqual([]);
  // A flag of all clusters is no weight.
  expect(doubts(() => 1)).toEqual([]);
});

test('cases beyond those tested in one year only may count others too', () => {
  const doubts = (exceedingYears: readonly number[]) =>
    doubtTable(
      [2019, 2020].flatMap((year) =>
        Array.from({ length: 12 }, (_, i) => [
          'A',
          `${year}-${String(i + 1).padStart(2, '0')}`,
          `${200 + 7 * i}`,
          `${exceedingYears.includes(year) && i % 3 === 0 ? 100 : 400}`,
        ]),
      ),
      undefined,
      ['tested'],
    ).filter((line) => /cases are more than/.test(line));
  expect(doubts([2019])).toEqual([
    expect.stringMatching(
      /^cases\.csv: cases are more than "tested" in 4 of 12 rows of 2019, and hardly ever in the other years\. /,
    ),
  ]);
  expect(doubts([])).toEqual([]);
  // Those received in all years are no bound.
  expect(doubts([2019, 2020])).toEqual([]);
  const inOnePlace = ['A', 'B', 'C'].flatMap((place) =>
    Array.from({ length: 12 }, (_, i) => [
      place,
      `2019-${String(i + 1).padStart(2, '0')}`,
      '200',
      place === 'B' ? '190' : '400',
    ]),
  );
  expect(doubtTable(inOnePlace, undefined, ['tested'])).toContainEqual(
    expect.stringContaining(
      'cases are more than "tested" in 12 of 12 rows of B, and hardly ever in the other places. ',
    ),
  );
});

test('cases that are the sum of two columns in some years only are told', () => {
  const rowOf = (isSum: (year: number) => boolean) =>
    [2020, 2021].flatMap((year) =>
      Array.from({ length: 12 }, (_, i) => [
        'A',
        `${year}-${String(i + 1).padStart(2, '0')}`,
        `${100 + 7 * i + (isSum(year) ? 40 + i : 0)}`,
        `${100 + 7 * i}`,
        `${40 + i}`,
      ]),
    );
  const doubts = (isSum: (year: number) => boolean) =>
    doubtTable(rowOf(isSum), undefined, ['rdt', 'slides']).filter((line) => /is the sum of/.test(line));
  expect(doubts((year) => year === 2020)).toEqual([
    expect.stringMatching(/^cases\.csv: "cases" is the sum of "rdt" and "slides" in 2020, and not in 2021\. /),
  ]);
  expect(doubts(() => true)).toEqual([]);
  expect(doubts(() => false)).toEqual([]);
});

test('cases that stand on many days of a month are asked about, month ends are not', () => {
  const doubts = (day: (i: number) => string) => {
    const cells = monthly(
      (i) => 300 + 31 * i,
      (i) => 17 - (i % 2),
    ).map(([area, month, ...numbers], i) => [area!, `${month}-${day(i)}`, ...numbers]);
    return doubtTable(cells, { months: 'year month day' });
  };
  expect(doubts((i) => `0${2 + (i % 8)}`)).toEqual([
    expect.stringMatching(/^cases\.csv: dates of cases are 8 different days of a month \(2 to 9\), /),
  ]);
  expect(doubts(() => '15')).toEqual([]);
  expect(doubts((i) => (i === 1 ? '28' : i % 2 === 0 ? '31' : '30'))).toEqual([]);
});

/** Twenty-four months of two districts of one region each, with one more column. */
const labelled = (label: (district: string, year: number, month: number) => string) =>
  ['A', 'B'].flatMap((district) =>
    [2021, 2022].flatMap((year) =>
      Array.from({ length: 12 }, (_, i) => [
        district,
        `${year}-${String(i + 1).padStart(2, '0')}`,
        `${100 + i}`,
        label(district, year, i + 1),
      ]),
    ),
  );

test.each([
  ['a data element that changes', labelled((_, year, month) => (year === 2022 && month > 6 ? 'new' : 'old'))],
  ['a data element for each year', labelled((_, year) => (year === 2021 ? 'clinical' : 'confirmed'))],
  ['two ages of every month', labelled(() => '<5').concat(labelled(() => '5+'))],
  ['a unit of one district for a year', labelled((district, year) => (district === 'A' && year < 2022 ? 'cm' : 'mm'))],
])('rows that an unused column tells apart may be of several kinds: %s', (_, cells) => {
  const found = /^cases.csv: "received" is not used, and tells rows apart: "/;
  expect(doubtTable(cells)).toEqual([expect.stringMatching(found)]);
});

test.each([
  ['the region of a district', (district: string) => `Region ${district}`],
  ['the season of a month', (_: string, __: number, month: number) => (month > 4 && month < 11 ? 'wet' : 'dry')],
  ['the name of a year', (_: string, year: number) => `FY ${year}`],
  ['one text for all', () => 'final'],
  ['a note of each row', (district: string, year: number, month: number) => `${district} ${year} ${month}`],
])('rows are of one kind beside %s', (_, label) => {
  expect(doubtTable(labelled(label))).toEqual([]);
});
