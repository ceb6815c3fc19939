import { expect, test } from 'vitest';
import { LGAS, tinyCountry } from '../../../support/tiny-country.ts';
import { draftOf } from './drafted.ts';
import { CASES, cases, country, ingested, iso, MONTHS, NAMES, rows, table } from './drafted-tables.ts';

test('counts of malaria none of which is known to be of confirmed cases are asked about', async () => {
  const content = table(
    'district,period,Malaria line A,Malaria line B',
    rows((lga, month, i) => [`Place ${lga + 1}`, iso(month), cases(lga, i), 3]),
  );
  const { draft } = await draftOf(country({ 'x.csv': content }));
  expect(draft.questions.at(-1)).toMatchObject({ id: 'numbers of x.csv', guess: 'other' });
  expect(draft.leftOut).toContainEqual({
    kind: 'left out',
    file: 'x.csv',
    why: 'by area, but nothing tells what its numbers are: "Malaria line A" (2018 6,408, 2019 6,440, 2020 6,472); "Malaria line B" (2018 144, 2019 144, 2020 144; never above "Malaria line A": a part of it?) (answer "numbers of x.csv")',
    lost: 'cases',
  });
  const answers = { 'numbers of x.csv': 'Malaria line A = cases' };
  const { cases: found } = await ingested(country({ 'x.csv': content }), answers);
  expect(found).toEqual(CASES);
});

/** Indicators by age group, whose confirmed ones add up to `cases`. */
const INDICATORS: readonly [string, (cases: number) => number][] = [
  ['Suspected malaria cases <5', (own) => 5 * own],
  ['Confirmed malaria cases <5', (own) => own - 60],
  ['Confirmed malaria cases 5+', () => 60],
  ['Confirmed malaria in-patients 5+', () => 8],
];

test.each<[string, string]>([
  [
    'indicators by age as rows, months as columns',
    table(
      `Région,District,Données,${MONTHS.map(({ year, month }) => `${NAMES[month - 1]!.slice(0, 3)}-${year}`).join(',')}`,
      LGAS.flatMap((_, lga) =>
        INDICATORS.map(([name, of]) =>
          [
            lga < 2 ? 'Abia' : 'Adamawa',
            `Place ${lga + 1}`,
            name,
            ...MONTHS.map((_month, i) => of(cases(lga, i))),
          ].join(),
        ),
      ),
    ),
  ],
  [
    'indicators and ages as rows in two columns, months as columns',
    table(
      `District,Data element,Category,${MONTHS.map((month) => iso(month)).join(',')}`,
      LGAS.flatMap((_, lga) =>
        INDICATORS.map(([name, of]) => {
          const [, indicator, ages] = /^(.*) (\S+)$/.exec(name)!;
          return [`Place ${lga + 1}`, indicator, ages, ...MONTHS.map((_month, i) => of(cases(lga, i)))].join();
        }),
      ),
    ),
  ],
  [
    'months as rows, indicators by age as columns',
    table(
      `District,period,${INDICATORS.map(([name]) => name).join(',')}`,
      rows((lga, month, i) => [`Place ${lga + 1}`, iso(month), ...INDICATORS.map(([, of]) => of(cases(lga, i)))]),
    ),
  ],
  [
    'a row for each figure',
    table(
      'District,period,Indicator,value',
      INDICATORS.flatMap(([name, of]) =>
        rows((lga, month, i) => [`Place ${lga + 1}`, iso(month), name, of(cases(lga, i))]),
      ),
    ),
  ],
])('the age groups of confirmed cases are added up, and what is left out is named: %s', async (_, content) => {
  const { cases: found, draft } = await ingested(country({ 'pivot.csv': content }));
  expect(found).toEqual(CASES);
  const question = draft.questions.at(-1)!;
  expect([question.id, question.guess]).toEqual([
    'cases of pivot.csv',
    'Confirmed malaria cases <5; Confirmed malaria cases 5+',
  ]);
  expect(question.asks).toMatch(/; left out: Suspected malaria cases <5; Confirmed malaria in-patients 5\+; may be /);
  expect(question.asks).toMatch(
    /; may be parts of the same cases: "Confirmed malaria in-patients 5\+" \(1,152, 13% of "Confirmed malaria cases 5\+"\)$/,
  );
});

test('ages as rows without an indicator, beside a total of each row, are what the answer says', async () => {
  const content = table(
    `No.,District ,Age group,${MONTHS.map((month) => iso(month)).join(',')},Total`,
    LGAS.flatMap((_, lga) =>
      ['<5', '5 and above'].map((ages, nth) => {
        const own = MONTHS.map((_month, i) => (nth === 0 ? cases(lga, i) - 60 : 60));
        return [2 * lga + nth, `Place ${lga + 1}`, ages, ...own, own.reduce((a, b) => a + b)].join();
      }),
    ),
  );
  expect((await draftOf(country({ 'x.csv': content }))).draft.leftOut[0]!.why).toMatch(
    /^by area, but nothing tells what its numbers are: "<5"/,
  );
  const answers = { 'numbers of x.csv': '<5 = cases; 5 and above = cases' };
  expect((await ingested(country({ 'x.csv': content }), answers)).cases).toEqual(CASES);
});

test('rows in which a part of the cases is blank are a doubt', async () => {
  const lines = rows((lga, month, i) => [LGAS[lga]!, iso(month), cases(lga, i), i === 3 && lga === 1 ? '' : 5]);
  const { draft } = await draftOf(country({ 'x.csv': table('code,period,conf <5,conf 5+', lines) }));
  expect(draft.doubts).toEqual([
    `x.csv: cases are a sum of which some columns are blank, and are not counted, in 1 of 144 rows (first: row ${2 + MONTHS.length + 3})`,
  ]);
});

test.each([
  ['Tested', [500]],
  ['Tested under 5,Tested 5 and above', [200, 300]],
])('more positive than tested is a doubt that names the first row: %s', async (tested, numbers) => {
  const lines = rows((lga, month, i) => [
    LGAS[lga]!,
    iso(month),
    ...numbers,
    cases(lga, i) - 40,
    i === 4 && lga === 1 ? 1050 : 40,
  ]);
  const files = { 'x.csv': table(`code,period,${tested},RDT positive,BS positive`, lines) };
  const { draft } = await draftOf(country(files));
  const row = 2 + MONTHS.length + 4;
  expect(draft.doubts).toEqual([
    `x.csv: a row has more positive than tested (first: row ${row}, ${cases(1, 4) - 40 + 1050} of 500); a digit too many may be among them`,
  ]);
});

test.each<[string, string, (lga: number, i: number) => (number | string)[], RegExp]>([
  [
    'the sum of two parts',
    'tested,conf_u5,conf_ov5',
    (lga, i) => [500, cases(lga, i) - 60, 60],
    /the sum of "conf_u5" and "c/,
  ],
  ['alone beside the tests', 'tested,presumed', () => [500, 7], /leave the cells blank$/],
])('zeros that were filled in where nothing else was reported are told: cases are %s', async (_, beside, of, doubt) => {
  const isFilled = (lga: number, i: number) => lga === 1 && i % 5 === 2;
  const content = table(
    `district,period,confirmed,${beside}`,
    rows((lga, month, i) => [
      `Place ${lga + 1}`,
      iso(month),
      ...(isFilled(lga, i) ? [0, ...of(lga, i).map(() => '')] : [cases(lga, i), ...of(lga, i)]),
    ]),
  );
  const { draft, cases: found } = await ingested(country({ 'x.csv': content }));
  expect(draft.doubts[0]).toMatch(doubt);
  expect(draft.doubts[0]).toMatch(/^x\.csv: "confirmed" is 0 in 7 of 144 rows in which all of "tested", /);
  const filled = beside.includes('conf') ? null : 0;
  expect(found.map(({ confirmed }) => confirmed)).toEqual(
    rows((lga, _month, i) => [isFilled(lga, i) ? String(filled) : cases(lga, i)]).map((text) => JSON.parse(text)),
  );
});

test.each<[string, (lga: number) => string, readonly string[]]>([
  ['codes', (lga) => LGAS[lga]!, ['NG001', 'NG']],
  ['names', (lga) => `Place ${lga + 1}`, ['Abia State', 'Nigeria']],
])('regions and the country among districts are named as such and left out: by %s', async (_, name, totals) => {
  const sum = (lgas: readonly number[], i: number) => lgas.reduce((total, lga) => total + cases(lga, i), 0);
  const parts = [
    [0, 1],
    [0, 1, 2, 3],
  ];
  const outlines = String(tinyCountry().files['lgas.geojson']).replaceAll('"state"', '"ADM1_PCODE"');
  const content = table('district,period,confirmed', [
    ...totals.flatMap((total, nth) => MONTHS.map((month, i) => `${total},${iso(month)},${sum(parts[nth]!, i)}`)),
    ...rows((lga, month, i) => [name(lga), iso(month), cases(lga, i)]),
  ]);
  const { draft, cases: found, sources } = await ingested(country({ 'x.csv': content, 'lgas.geojson': outlines }));
  expect(found).toEqual(CASES);
  expect(draft.doubts).toEqual([
    `x.csv: rows of ${totals.join(', ')} are left out: each is the sum of areas in other rows`,
  ]);
  expect(sources.find(({ role }) => role === 'cases_lgas')!.leave_out).toHaveLength(2);
});

test('parts whose names are not understood are added up with those beside them, or a person says that they are none', async () => {
  const names = ['Malaria confirmed <5', 'Malaria confirmed 5+ (excl PW)', 'Malaria confirmed PW'];
  const content = table(
    `code,period,${names.join(',')},Malaria tested PW`,
    rows((lga, month, i) => [LGAS[lga]!, iso(month), cases(lga, i) - 80, 60, 20, 25]),
  );
  const { cases: found, draft } = await ingested(country({ 'x.csv': content }));
  expect(found).toEqual(CASES);
  expect(draft.doubts).toEqual([]);
  const answer = names.slice(0, 2).join('; ');
  const { sources } = await ingested(country({ 'x.csv': content }), { 'cases of x.csv': answer });
  expect(sources.find(({ role }) => role === 'cases_lgas')).toMatchObject({
    sums: { confirmed: names.slice(0, 2) },
    unused: { [names[2]!]: 'no part of the cases, as answered' },
  });
});

test('a column of all cases by its name is asked about if one beside it may be a part; an answer may be a control', async () => {
  const content = table(
    'code,period,confirmed,confirmed_preg',
    rows((lga, month, i) => [LGAS[lga]!, iso(month), cases(lga, i), 9]),
  );
  const { draft, input } = await ingested(country({ 'x.csv': content }), {
    'control of x.csv': '2018 6400 annual report',
  });
  const question = draft.questions.at(-1)!;
  expect([question.id, question.guess]).toEqual(['cases of x.csv', 'confirmed']);
  expect(question.asks).toMatch(/may be parts of the same cases: "confirmed_preg" \(1,296, 7% of "confirmed"\)$/);
  expect(input.report).toContainEqual({
    source: 'cases_lgas',
    rule: 'control',
    what: expect.stringMatching(/^2018: 0\.\d% more than in annual report$/),
  });
});

test('of a total beside its parts the question says that the total is taken in their place', async () => {
  const hasTotal = (i: number) => i < 20;
  const hasParts = (i: number) => i >= 10;
  const content = table(
    'code,period,Malaria confirmed,Malaria confirmed <5,Malaria confirmed 5+',
    rows((lga, month, i) => [
      LGAS[lga]!,
      iso(month),
      hasTotal(i) ? cases(lga, i) : '',
      ...(hasParts(i) ? [cases(lga, i) - 60, 60] : ['', '']),
    ]),
  );
  const answers = { 'cases of x.csv': 'Malaria confirmed; Malaria confirmed <5; Malaria confirmed 5+' };
  const { cases: found, draft } = await ingested(country({ 'x.csv': content }), answers);
  expect(found).toEqual(CASES);
  expect(draft.questions.at(-1)!.asks).toMatch(/or none; Malaria confirmed is a total of others, and is taken in /);
});

test('a column of ages within those of another one is not added to it', async () => {
  const header =
    'code,period,confirmed_0_11_months,confirmed_0_59_months,confirmed_5_14_years,confirmed_15_years_and_more';
  const content = table(
    header,
    rows((lga, month, i) => [LGAS[lga]!, iso(month), 20, cases(lga, i) - 50, 30, 20]),
  );
  const { cases: found, sources } = await ingested(country({ 'x.csv': content }));
  expect(found).toEqual(CASES);
  expect(sources.find(({ role }) => role === 'cases_lgas')!.sums!.confirmed).not.toContain('confirmed_0_11_months');
});
