import { expect, test } from 'vitest';
import { countryWords, wordingInCountry } from '../../../pipeline/contract/words.ts';
import { codeReader } from '../../../pipeline/ingest/places-by-code.ts';
import { checkCountry } from '../../../pipeline/intake/check/check-country.ts';
import { repairCountry } from '../../../pipeline/intake/repair/repair.ts';
import { TERRITORY } from '../../../pipeline/synthetic/states.ts';
import { outputRows } from '../../support/stage-io.ts';
import { GRID, LGAS, peopleIn, sourceIn, type TinyCountry, writeTiny } from '../../support/tiny-country.ts';
import { edit, features, raster, read } from './broken.ts';

const MONTHS = Array.from(
  { length: 48 },
  (_, i) => `${2018 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
);

/** Cases by area, `rows` of them in a month. */
const withCases = (rows: (month: string, i: number) => string[]) => (country: TinyCountry) => {
  country.files['cases.csv'] = `lga,month,cases\n${MONTHS.flatMap(rows).join('\n')}\n`;
  const source = sourceIn(country, 'cases');
  source.role = 'cases_lgas';
  source.columns = { lga_pcode: 'lga', period: 'month', confirmed: 'cases' };
  source.files[0].rows = 48;
};
const wave = (i: number) => Math.round(90 * Math.sin((i * Math.PI) / 6) + ((i * i) % 17));
/** The second area was divided in 2020: two fifths of its cases are those of a new one. */
const divided = withCases((month, i) => [
  `NG001001,${month},${500 + wave(i + 5)}`,
  ...(month < '2020-01'
    ? [`NG001002,${month},${1000 + wave(i)}`]
    : [`NG001002,${month},${600 + wave(i)}`, `NG001009,${month},400`]),
]);
/** The second area has another code from 2020 on. */
const renumbered = withCases((month, i) => [
  `NG001001,${month},${500 + wave(i + 5)}`,
  `${month < '2020-01' ? 'NG001002' : 'NG001009'},${month},${1000 + wave(i)}`,
]);
const ACCEPT = { at: '2026-01-02T03:04:05.000Z', by: 'Ada', reason: 'the law of 2019' };

test('codes that a program took for numbers are those of the areas', () => {
  const readCode = codeReader(['0101', '0102', '1201', 'AB1']);
  expect(['101', '0102', '1201.0', 'AB1', 'ab1', 'AB01', '', '9'].map(readCode)).toEqual([
    '0101',
    '0102',
    '1201',
    'AB1',
    'AB1',
    null,
    null,
    null,
  ]);
  // Two areas that differ in nothing else are told apart.
  expect(['1', '01', '001'].map(codeReader(['1', '01']))).toEqual(['1', '01', null]);
});

test('a table whose codes have lost their leading zeros is read, and the findings say so', async () => {
  const withNumbers = (country: TinyCountry) => {
    const shorten = (text: string) => text.replaceAll(/NG00(?=\d{4})/g, '0');
    for (const file of ['lgas.geojson', 'nets.csv', 'climate.csv', 'surveys.csv']) edit(file, shorten)(country);
    edit('census.csv', (text) => shorten(text).replaceAll(/^0(?=\d{4},)/gm, ''))(country);
    country.model.territory.lga.code = '^0[0-9]{4}$';
    country.model.territory.lga.example = '01001';
  };
  const { tables } = await read(withNumbers);
  expect(outputRows(tables.census)[0]).toMatchObject({ lga_code: '01001', people: 100_000 });
  const finding = tables.report.find(({ rule }) => rule === 'codes in another form')!;
  expect(wordingInCountry(finding.what, countryWords(TERRITORY))).toBe(
    '4 codes are written in another form, such as 1001 for 01001, and are read as the codes of the LGAs',
  );
});

test('a code whose rows begin where those of another end is proposed as that of the same area', async () => {
  const { directory } = writeTiny(renumbered);
  const { repairs, left } = await repairCountry(directory, directory, ACCEPT);
  expect([repairs.map(({ remedy }) => remedy), left]).toEqual([
    [{ declare: 'recode', column: 'lga_pcode', from: 'NG001009', to: 'NG001002' }],
    [],
  ]);
  expect(await checkCountry(directory)).toEqual([]);
});

test('a new area is proposed as a part of the one whose cases fall, and once accepted the two are added up', async () => {
  const { directory } = writeTiny(divided);
  const { repairs, left } = await repairCountry(directory, directory, ACCEPT);
  expect([repairs.map(({ declares }) => declares), left]).toEqual([
    [
      'name "NG001009" is a part of NG001002 from 2020-01 on (aliases.csv)',
      'name "NG001002" is a part of NG001002 from 2020-01 on (aliases.csv)',
    ],
    [],
  ]);
  expect(await checkCountry(directory)).toEqual([]);
  const { tables } = await read((country) => {
    divided(country);
    country.files['aliases.csv'] = 'name,parent,code,from\nNG001009,,NG001002,2020-01\nNG001002,,NG001002,2020-01\n';
    // In a table of other figures, the row of the area is the whole.
    edit('nets.csv', (text) => `${text}NG001009,0.9\n`)(country);
    sourceIn(country, 'itn_use').leave_out = [{ where: { lga_pcode: 'NG001009' }, reason: 'a part' }];
  });
  const cases = outputRows(tables.cases) as { lga_code: string; period: string; confirmed: number }[];
  const ofArea = cases.filter(({ lga_code }) => lga_code === 'NG001002');
  expect(ofArea.map(({ confirmed }) => confirmed)).toEqual(MONTHS.map((_, i) => 1000 + wave(i)));
});

test('an area that ends when several codes begin is proposed as divided into them, not as one of them', async () => {
  const { directory } = writeTiny(
    withCases((month, i) => [
      `NG001001,${month},${500 + wave(i + 5)}`,
      ...(month < '2020-01'
        ? [`NG001002,${month},${1000 + wave(i)}`]
        : [`NG001008,${month},${800 + wave(i)}`, `NG001009,${month},200`]),
    ]),
  );
  const { repairs, left } = await repairCountry(directory, directory, ACCEPT);
  expect([repairs.map(({ declares }) => declares), left]).toEqual([
    [
      'name "NG001008" is a part of NG001002 from 2020-01 on (aliases.csv)',
      'name "NG001009" is a part of NG001002 from 2020-01 on (aliases.csv)',
    ],
    [],
  ]);
  expect(await checkCountry(directory)).toEqual([]);
});

test('a new area is no part of one in another state, however much its cases fall', async () => {
  const { directory } = writeTiny((country) => {
    withCases((month, i) => [
      `NG001001,${month},${500 + wave(i + 5)},NG001`,
      ...(month < '2020-01'
        ? [`NG002001,${month},${1000 + wave(i)},NG002`]
        : [`NG002001,${month},${600 + wave(i)},NG002`, `NG001009,${month},400,NG001`]),
    ])(country);
    edit('cases.csv', (text) => text.replace('cases', 'cases,state'))(country);
    sourceIn(country, 'cases').columns.state_pcode = 'state';
  });
  const { repairs, left } = await repairCountry(directory);
  expect([repairs, left.map(({ what }) => what)]).toEqual([[], [expect.stringMatching(/NG001009 .*if it is a part/)]]);
});

test('rows of larger areas may be left out; of a place that explains no fall all ways are told', async () => {
  const { directory } = writeTiny((country) => {
    withCases((month, i) => [
      ...LGAS.map((code) => `${code},${month},${500 + i}`),
      `XX1,${month},9`,
      `NG001,${month},600`,
    ])(country);
    edit('nets.csv', (text) => `${text}Nigeria,0.9\n`)(country);
  });
  const { repairs, left } = await repairCountry(directory);
  expect([repairs.map(({ source, declares }) => `${source}, ${declares}`).sort(), left]).toEqual([
    ['cases, leave_out: rows with lga_pcode NG001', expect.stringMatching(/^itn_use, leave_out: rows with lga_pcode /)],
    [expect.objectContaining({ source: 'cases', what: expect.stringMatching(/XX1/) })],
  ]);
  const faults = [...repairs.map(({ fault }) => fault), ...left.map(({ what }) => what)].join('\n');
  expect(faults).toMatch(/cases\.csv, row 6, lga_pcode: found XX1 \(48 rows\), expected .*if it is a part of an area/);
  expect(faults).toMatch(/found NG001 \(48 rows\), which is the state Abia, expected an area in the outlines/);
  expect(faults).toMatch(/which is the country/);
});

test('of rows of no area the areas are named that lack such rows; of a table of other areas only that', async () => {
  const { directory } = writeTiny((country) => {
    withCases((month, i) => [...LGAS.slice(1).map((code) => `${code},${month},${500 + i}`), `XX1,${month},9`])(country);
    edit('cases.csv', (text) => text.replaceAll(/NG001002,(2018.*)/g, 'XX2,$1'))(country);
  });
  const { repairs, left } = await repairCountry(directory);
  expect(repairs).toEqual([]);
  expect(left[0]!.what).toMatch(
    /found XX2 .* another name or code of NG001001 Place 1, NG001002 Place 2, without such/,
  );
  const other = writeTiny(edit('nets.csv', (text) => text.replaceAll('NG00', 'KE00')));
  const { repairs: nothing, left: wrongTable } = await repairCountry(other.directory);
  expect(nothing).toEqual([]);
  expect(wrongTable[0]!.what).toMatch(/most places of this table are of no area; is it the right file/);
});

test('two areas that got other codes at once are told apart by their level, if that is clear', async () => {
  const renamed = (second: number) =>
    withCases((month, i) => [
      `${month < '2020-01' ? 'NG001001' : 'NG001008'},${month},${500 + wave(i + 5)}`,
      `${month < '2020-01' ? 'NG001002' : 'NG001009'},${month},${second + wave(i)}`,
    ]);
  const { repairs } = await repairCountry(writeTiny(renamed(1000)).directory);
  expect(repairs.map(({ declares }) => declares)).toEqual([
    'recode lga_pcode: "NG001008" means "NG001001"',
    'recode lga_pcode: "NG001009" means "NG001002"',
  ]);
  expect((await repairCountry(writeTiny(renamed(550)).directory)).repairs).toEqual([]);
});

test('a code of no area is proposed for the only area without rows', async () => {
  const { directory } = writeTiny(edit('nets.csv', (text) => text.replace('NG002002', 'NG02002')));
  const { repairs } = await repairCountry(directory);
  expect(repairs.map(({ declares }) => declares)).toEqual(['recode lga_pcode: "NG02002" means "NG002002"']);
});

test('closed areas, and those without an outline, are no areas of today, and the findings name them', async () => {
  const { tables } = await read(
    features('lgas.geojson', (list) => [
      ...list,
      {
        ...list[0],
        properties: { name: 'Old Place', pcode: 'NG001000', state: 'NG001', closedDate: '2013-06-30T00:00' },
      },
      { ...list[0], properties: { name: 'Teaching Hospital', pcode: 'NG001003', state: 'NG001' }, geometry: null },
    ]),
  );
  expect(tables.report.find(({ rule }) => rule === 'no area of today')?.what).toBe(
    'left out of the outlines: Old Place (closed on 2013-06-30), Teaching Hospital (no outline)',
  );
});

test('levels that do not nest are declared by their difference, whichever is larger', async () => {
  const shifted = (north: number) =>
    features('states.geojson', (list) => {
      for (const i of [2, 3]) list[1].geometry.coordinates[0][i][1] = north;
      return list;
    });
  for (const north of [4.9, 5.1]) {
    const { directory } = writeTiny(shifted(north));
    const { repairs, left } = await repairCountry(directory, directory, ACCEPT);
    expect([repairs.map(({ declares }) => declares), left]).toEqual([
      [expect.stringMatching(/^gap uncovered: NG002 up to \d+ km²$/)],
      [],
    ]);
    expect(await checkCountry(directory)).toEqual([]);
  }
});

test('an area without people is declared; it has rain and prediction cells, and no people', async () => {
  const empty = (country: TinyCountry) => {
    edit('census.csv', (text) => text.replace('NG002002,100003,18000', 'NG002002,0,0'))(country);
    raster('people.tif', (i) => (i % GRID.columns < 30 ? peopleIn(i) : 0))(country);
  };
  const { directory } = writeTiny(empty);
  const { repairs, left } = await repairCountry(directory, directory, ACCEPT);
  expect([repairs.map(({ source, declares }) => `${source}, ${declares}`), left]).toEqual([
    ['population_census, gap omit: NG002002', 'population, gap omit: NG002002'],
    [],
  ]);
  const { rasters } = await read((country) => {
    empty(country);
    for (const id of ['population', 'population_census'])
      sourceIn(country, id).gaps = [{ rule: 'omit', lga_pcode: LGAS[3], reason: 'a park' }];
  });
  expect(outputRows(rasters.lgas).at(-1)).toMatchObject({ lga_code: LGAS[3], population: 0 });
  const cells = outputRows(rasters.cells) as { lga_code: string; population: number; population_density: number }[];
  const ofPark = cells.filter(({ lga_code }) => lga_code === LGAS[3]);
  expect(ofPark.length).toBe(100);
  expect(ofPark[0]!.population_density).toBeCloseTo(1, 6);
  expect(ofPark.reduce((sum, { population }) => sum + population, 0)).toBeLessThan(0.001);
});
