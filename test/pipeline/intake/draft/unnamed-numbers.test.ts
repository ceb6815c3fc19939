import { expect, test } from 'vitest';
import { LGAS, tinyCountry } from '../../../support/tiny-country.ts';
import { draftOf, filesOf } from './drafted.ts';
import { CASES, cases, country, ingested, iso, type MONTHS, rain, rows, table } from './drafted-tables.ts';

const whyUnused = async (directory: string) =>
  (await draftOf(directory)).draft.leftOut.flatMap(({ why, lost }) => (lost === null ? [] : [why]));

test('columns that no name settles are asked about with their sums, and a part of another; the answer adds them up', async () => {
  const content = table(
    'code,period,amuna,akazi,a_akazi_apakati',
    rows((lga, month, i) => [LGAS[lga]!, iso(month), cases(lga, i) - 80, 80, 9]),
  );
  const { draft } = await draftOf(country({ 'mwi_cases.csv': content }));
  expect(draft.questions.at(-1)).toMatchObject({ id: 'numbers of mwi_cases.csv', guess: 'other' });
  const [unused] = draft.leftOut;
  expect(unused).toMatchObject({ file: 'mwi_cases.csv', lost: 'cases' });
  expect(unused!.why).toMatch(/"akazi" \(2018 3,840, 2019 3,840, 2020 3,840\)?/);
  expect(unused!.why).toMatch(/"a_akazi_apakati" \([^)]*never above "akazi": a part of it\?\)/);
  const answers = { 'numbers of mwi_cases.csv': 'amuna = cases; akazi = cases' };
  const answered = await ingested(country({ 'mwi_cases.csv': content }), answers);
  expect(answered.cases).toEqual(CASES);
  expect(answered.sources.find(({ role }) => role === 'cases_lgas')!.sums).toEqual({ confirmed: ['amuna', 'akazi'] });
});

test('counts in thousands with a decimal comma are told as such, and read as the answer says', async () => {
  const inThousands = (count: number) => String(count / 1000).replace('.', ',');
  const content = table(
    'Kodi;Mwezi;Wagonjwa (elfu)',
    rows((lga, month, i) => [LGAS[lga]!, iso(month), inThousands(cases(lga, i))], ';'),
  );
  expect(await whyUnused(country({ 'x_cases.csv': content }))).toEqual([
    expect.stringMatching(/"Wagonjwa \(elfu\)" \(.*; thousands if they are counts: whole once multiplied by 1,000\)/),
  ]);
  const answers = { 'numbers of x_cases.csv': 'thousands of cases' };
  expect((await ingested(country({ 'x_cases.csv': content }), answers)).cases).toEqual(CASES);
});

test('indicators as rows without a known heading become columns, of which the answer chooses', async () => {
  const counts = { Febris: (count: number) => 3 * count, 'TDR +': (count: number) => count - 60, 'HTZ +': () => 60 };
  const content = table(
    'Periodo,Cod,Indicador,N',
    Object.entries(counts).flatMap(([name, count]) =>
      rows((lga, month, i) => [iso(month), LGAS[lga]!, name, count(cases(lga, i))]),
    ),
  );
  expect(await whyUnused(country({ 'x_cases.csv': content }))).toEqual([
    expect.stringMatching(/"Febris" \(2018 [^)]*\); "TDR \+" \([^)]*never above "Febris"[^)]*\); "HTZ \+"/),
  ]);
  const answers = { 'numbers of x_cases.csv': 'TDR + = cases; HTZ + = cases' };
  expect((await ingested(country({ 'x_cases.csv': content }), answers)).cases).toEqual(CASES);
});

const PEOPLE_TABLES: readonly [string, string, (lga: number) => (string | number)[][]][] = [
  [
    'a column among target groups',
    'code,FAP,PT',
    (lga) => [[LGAS[lga]!, Math.round(0.23 * RASTER_PEOPLE[lga]!), RASTER_PEOPLE[lga]!]],
  ],
  [
    'rows by residence and sex with their totals',
    'code,mil,sx,eff',
    (lga) => {
      const shares: Record<string, number> = { U: 0.2, R: 0.8, T: 1, M: 0.5, F: 0.5, E: 1 };
      return ['U', 'R', 'T'].flatMap((place) =>
        ['M', 'F', 'E'].map((sex) => [LGAS[lga]!, place, sex, shares[place]! * shares[sex]! * RASTER_PEOPLE[lga]!]),
      );
    },
  ],
];
/** What the tiny country's raster has in each area. */
const RASTER_PEOPLE = [100_000, 100_000, 100_000, 100_000];

test.each(PEOPLE_TABLES)(
  'people are the numbers that agree with the raster area by area: %s',
  async (_, header, lines) => {
    const content = table(
      header,
      LGAS.flatMap((_lga, lga) => lines(lga).map((cells) => cells.join())),
    );
    const { draft, census } = await ingested(country({ 'census.csv': content }));
    expect(census.map(({ people }) => people)).toEqual(RASTER_PEOPLE);
    expect(draft.questions.find(({ id }) => id === 'numbers of census.csv')!.guess).toMatch(/^(PT|T E) = people$/);
  },
);

test.each<[string, string, (lga: number, month: (typeof MONTHS)[number], i: number) => (string | number)[], RegExp]>([
  [
    'weeks',
    'code,se,confirmed',
    (lga, _month, i) => [LGAS[lga]!, 201501 + i, 7],
    /^"confirmed" is not used: "se" has weeks, such as 201513 for week 13,/,
  ],
  [
    'fiscal years',
    'code,fin_year,mth,confirmed',
    (lga, _month, i) => [
      LGAS[lga]!,
      `${2014 + Math.floor((i + 6) / 12)}/${15 + Math.floor((i + 6) / 12)}`,
      ((i + 6) % 12) + 1,
      7,
    ],
    /"mth" the number of the month in them, from 7 of 2014\/15 on; say which .* 1: July, if/,
  ],
  [
    'kelvin and metres a day',
    'code,time,t2m,tp',
    (lga, month, i) => [LGAS[lga]!, `${iso(month)}-01`, 290 + (i % 12), Number(rain(lga, i)) / 30_000],
    /"t2m" \(.*kelvin by their size.*"tp" \(.*metres a day if it is rain/,
  ],
])('a table of another form is not used, for its true reason: %s', async (_, header, cells, reason) => {
  const content = table(header, rows(cells));
  expect(await whyUnused(country({ 'x.csv': content }, ['climate.csv']))).toEqual([expect.stringMatching(reason)]);
});

test('rows of single children are named, with the codes of what may be the test', async () => {
  const children = Array.from({ length: 60 }, (_, i) => {
    const cluster = 1 + Math.floor(i / 6);
    return [cluster, 2021, [0, 1, 7, 0, 9, 0][i % 6]!, 3 + cluster / 10, 4.2].join();
  });
  const content = table('hv001,hv007,hml35,LONGNUM,LATNUM', children);
  expect(await whyUnused(country({ 'surveys.csv': content }))).toEqual([
    expect.stringMatching(
      /^rows of single children: 60 at 10 places; .*"hml35" \(0 in 30, 1 in 10, 7 in 10, 9 in 10\)/,
    ),
  ]);
});

test('a list of patients is named, with how to count it if it has areas and dates', async () => {
  const patients = rows((lga, month, i) => [
    LGAS[lga]!,
    `${iso(month)}-0${1 + (i % 9)}`,
    i % 80,
    'MF'[i % 2]!,
    i % 3 ? 'Positive' : 'Negative',
  ]);
  const content = table('code,date,age,sex,result', patients);
  const sql = `COPY (SELECT "code", left("date", 7) AS period, count(*) AS confirmed FROM read_csv(${"'\\''x.csv'\\''"}, all_varchar = true) WHERE "result" = ${"'\\''Positive'\\''"} GROUP BY ALL`;
  expect(await whyUnused(country({ 'x.csv': content }))).toEqual([
    expect.stringContaining(
      `rows of single patients: 144; keep the list itself out of the folder, and count those confirmed by "code" and month of "date" with: duckdb -c '${sql}`,
    ),
  ]);
  const placeless = content.replaceAll(/^[^,]+,/gm, '');
  expect(await whyUnused(country({ 'x.csv': placeless }))).toEqual([
    expect.stringMatching(/^rows of single patients: 144; without a column of areas they cannot be counted/),
  ]);
  // Figures by sex are not patients.
  const bySex = rows((lga, month, i) => [LGAS[lga]!, iso(month), 'MF'[i % 2]!, i]);
  expect(await whyUnused(country({ 'x.csv': table('code,date,sex,amuna', bySex) }))).not.toEqual([
    expect.stringMatching(/single patients/),
  ]);
});

test('features of one code and name are taken for one area, and named', async () => {
  const outlines = JSON.parse(String(tinyCountry().files['lgas.geojson']));
  const [feature] = outlines.features;
  const [[west, south], , [east, north]] = feature.geometry.coordinates[0];
  const half = (from: number, to: number) => ({
    ...feature,
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [from, south],
          [to, south],
          [to, north],
          [from, north],
          [from, south],
        ],
      ],
    },
  });
  const middle = (west + east) / 2;
  outlines.features.splice(0, 1, half(west, middle), half(middle, east));
  const files = { ...tinyCountry().files, 'lgas.geojson': JSON.stringify(outlines) };
  const { draft, sources } = await ingested(filesOf(files));
  expect(sources.find(({ role }) => role === 'lga_boundaries')!.dissolve).toBe(true);
  expect(draft.doubts[0]).toMatch(/^lgas\.geojson: NG001001 Place 1 in several features of one code and name/);
});

test('a table with other cases for the same months is no copy: the cases at stake are told', async () => {
  const content = (share: number) =>
    table(
      'code,period,confirmed',
      rows((lga, month, i) => [LGAS[lga]!, iso(month), Math.round(share * cases(lga, i))]),
    );
  const reasons = async (share: number) => whyUnused(country({ 'a.csv': content(1), 'b.csv': content(share) }));
  expect(await reasons(1)).toEqual([]);
  expect(await reasons(0.5)).toEqual([
    expect.stringMatching(/^gives other cases than a\.csv in 144 of 144 areas .* 19,320 there, 0\.50 times as many/),
  ]);
});

test('figures as rows of which one is twice are not used: both rows are named', async () => {
  const lines = rows((lga, month, i) => [LGAS[lga]!, iso(month), 'Malaria confirmed cases', cases(lga, i)]);
  const content = table('orgunit,period,Data,Value', [
    ...lines,
    ...lines.map((line) => line.replace('confirmed', 'deaths')),
    lines[5]!,
  ]);
  expect(await whyUnused(country({ 'x.csv': content }))).toEqual([
    expect.stringMatching(
      /: rows 7 and \d+ are both of NG00\d+ 2018-06 Malaria confirmed cases; make one row for each area/,
    ),
  ]);
});

test('of an indicator, the value is asked about beside its numerator', async () => {
  const indicator = table(
    'code,period,value,numerator,denominator',
    rows((lga, month, i) => [LGAS[lga]!, iso(month), Math.round(cases(lga, i) / 20), cases(lga, i), 100_000]),
  );
  const { draft } = await draftOf(country({ 'x.csv': indicator }));
  expect(draft.questions.at(-1)).toMatchObject({ id: 'numbers of x.csv', guess: 'other' });
  const { cases: read } = await ingested(country({ 'x.csv': indicator }), { 'numbers of x.csv': 'numerator = cases' });
  expect(read).toEqual(CASES);
});
