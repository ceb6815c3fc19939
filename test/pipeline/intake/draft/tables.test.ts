import path from 'node:path';
import { expect, test } from 'vitest';
import { guessDialect } from '../../../../pipeline/intake/draft/guess-dialect.ts';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { LGAS, tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf, filesOf } from './drafted.ts';
import {
  CASES,
  cases,
  country,
  GIVEN,
  ingested,
  iso,
  long,
  MONTHS,
  people,
  rain,
  rows,
  table,
  two,
} from './drafted-tables.ts';

test('a table by the names of its areas is drafted so, and a build finds their codes', async () => {
  const lines = rows((lga, month, i) => [`PLACE ${lga + 1}`, iso(month), cases(lga, i)]);
  const found = await ingested(country({ 'cases.csv': table('District,period,confirmed', lines) }));
  expect(found.cases).toEqual(CASES);
  const source = found.sources.find(({ role }) => role === 'cases_lgas')!;
  expect(source.columns).toEqual({ lga: 'District', period: 'period', confirmed: 'confirmed' });
  expect(source).not.toHaveProperty('recode');
});

test('words that most names of a table or of the outlines have are no part of the names, in the draft as in a build', async () => {
  const named = (word: (name: string) => string) => ['Alo', 'Bré', 'Cadé', 'Dun'].map(word);
  const outlines = String(tinyCountry().files['lgas.geojson']);
  const inOutlines = named((name) => `DS ${name}`);
  const inTable = named((name) => `${name.toUpperCase()} District Sanitaire`);
  const bare = named((name) => name);
  // Thousands apart, as office programs write them.
  const grouped = (number: number) => String(number).replace(/(\d{3})$/, '\u00a0$1');
  const files = {
    'lgas.geojson': outlines.replaceAll(/Place (\d)/g, (_, i) => inOutlines[i - 1]!),
    'cases.csv': table(
      'District,period,PALU_Cas confirmés',
      rows((lga, month, i) => [inTable[lga]!, iso(month), cases(lga, i)]),
    ),
    'climate.csv': table(
      'district,mois,pluie_mm',
      rows((lga, month, i) => [bare[lga]!, iso(month), rain(lga, i)]),
    ),
    'population.csv': table(
      'District;2018;2019;2020',
      bare.map((name, lga) => [name, ...[2018, 2019, 2020].map((year) => grouped(people(lga, year)))].join(';')),
    ),
  };
  const found = await ingested(country(files, ['census.csv']));
  expect(found.cases).toEqual(CASES);
  expect(found.climate).toHaveLength(LGAS.length * MONTHS.length);
  // The years of a table of people are its columns; all are read, and the last one weights.
  expect(found.census.map((row) => row.people)).toEqual(LGAS.map((_, lga) => people(lga, 2020)));
  expect(found.sources.find(({ role }) => role === 'population_census')!.columns).toMatchObject({
    people_2020: '2020',
  });
  const peopleIn = (which: number) => found.people.filter(({ year }) => year === which).map((row) => row.people);
  for (const year of [2018, 2019, 2020]) expect(peopleIn(year)).toEqual(LGAS.map((_, lga) => people(lga, year)));
});

test('a table in windows-1252 is drafted with that encoding', async () => {
  const lines = rows((lga, month, i) => [LGAS[lga]!, iso(month), cases(lga, i), 'vérifié'], ';');
  const csv = Buffer.from(table('District;Mois;confirmed;état', lines), 'latin1');
  const found = await ingested(country({ 'cases.csv': csv }));
  expect(found.cases).toEqual(CASES);
  const { dialect, notes } = found.sources.find(({ role }) => role === 'cases_lgas')!;
  expect([dialect, notes!.at(-1)]).toEqual([
    { separator: ';', encoding: 'windows-1252' },
    'Columns recognised by their names, text in windows-1252',
  ]);
});

test('a table of people, cases and climate by month has three roles; people are of the latest month, not summed', async () => {
  const lines = rows((lga, month, i) => [
    iso(month),
    rain(lga, i),
    25,
    cases(lga, i),
    // As of a projection.
    people(lga, month.year) + 0.4,
    LGAS[lga]!,
  ]);
  const chap = table('time_period,rainfall,mean_temperature,disease_cases,population,location', lines);
  const found = await ingested(country({ 'chap.csv': chap }, ['climate.csv', 'census.csv']));
  expect(found.cases).toEqual(CASES);
  expect(found.climate).toHaveLength(4 * 36);
  expect(found.climate[1]).toEqual({
    lga_code: LGAS[0],
    period: '2018-02',
    rain_mm: Number(rain(0, 1)),
    temperature_c: 25,
  });
  expect(found.census.map((row) => row.people)).toEqual(LGAS.map((_, lga) => people(lga, 2020)));
  const census = found.sources.find(({ role }) => role === 'population_census')!;
  expect([census.where, census.notes!.at(-1)]).toEqual([
    { time_period: '2020-12' },
    expect.stringMatching(/only 2020-12, the latest/),
  ]);
});

test('areas are called as the columns of their names are, or as most of these names say', async () => {
  const content = table(
    'Région,name,period,confirmed',
    rows((lga, month, i) => [lga < 2 ? 'Abia' : 'Adamawa', `Province Place ${lga + 1}`, iso(month), cases(lga, i)]),
  );
  const { draft } = await draftOf(country({ 'x.csv': content }));
  const guessed = Object.fromEntries(draft.questions.map(({ id, guess }) => [id, guess]));
  expect(guessed).toMatchObject({ upper_many: 'regions', lower_one: 'province', lower_many: 'provinces' });
});

test('a name among other words is proposed for its area, not taken', async () => {
  const codes = ['aa', 'aa', 'ab', 'ab'];
  const content = long('unit,period,confirmed', iso).replaceAll(/^NG00(\d)00(\d)/gm, (_, a, b) => {
    const nth = 2 * a + +b - 3;
    return `${codes[nth]} Place ${nth + 1} DHO${nth}`;
  });
  const { draft, faults } = await catalogOf(country({ 'x.csv': content }), GIVEN);
  expect(draft.leftOut).toEqual([]);
  const [source] = draft.entries.filter(({ entry }) => entry.role === 'cases_lgas');
  expect(source!.entry.columns).toMatchObject({ lga: 'unit' });
  expect(faults.map((fault) => JSON.stringify(fault))).toEqual(
    LGAS.map((code, i) => expect.stringMatching(`${codes[i]} Place ${i + 1} DHO${i}.*Place ${i + 1} \\(${code}`)),
  );
});

test('decimal commas are declared and read', async () => {
  const lines = rows((lga, month, i) => [LGAS[lga]!, iso(month), rain(lga, i).replace('.', ',')], ';');
  const { climate, sources } = await ingested(country({ 'x.csv': table('code;period;rain', lines) }, ['climate.csv']));
  expect(climate[1]!.rain_mm).toBe(Number(rain(0, 1)));
  expect(sources.find(({ role }) => role === 'climate')!.dialect).toEqual({ separator: ';', decimal_comma: true });
});

test('new-country shows the faults of tables that a fault of the outlines hides', async () => {
  const { files } = tinyCountry();
  // The first area runs into the second, which can be declared; only then are tables read.
  const lgas = JSON.parse(String(files['lgas.geojson']));
  const [ring] = lgas.features[0].geometry.coordinates;
  ring[1][0] = 4.005;
  ring[2][0] = 4.005;
  const census = String(files['census.csv']).replace(/^NG002002.*\n/m, '');
  const directory = country({ 'lgas.geojson': JSON.stringify(lgas), 'census.csv': census });
  const { code, stdout } = await runHere(['new-country', path.join(temporary(), 'nc'), '--from', directory]);
  expect(code).toBe(1);
  const [checked, hidden] = stdout.split('Hidden by these until they are declared:');
  expect(checked).toMatch(/NG001001 and NG001002: found an overlap of/);
  expect(checked).not.toMatch(/found no row/);
  expect(hidden).toMatch(
    /^\n {2}census\.csv, NG002002 Place 4: found no row, expected a row; if it was divided from an area .*; only if nobody lives/,
  );
});

test('new-country exits with 1 if it left out a table that matters, and says so in its last line', async () => {
  const weeks = long('code,period,confirmed', ({ year, month }) => `${year}W${two(month)}`);
  const draft = async (directory: string) => {
    const answers = path.join(filesOf({ 'answers.json': JSON.stringify(GIVEN) }), 'answers.json');
    const { code, stdout, stderr } = await runHere([
      'new-country',
      path.join(temporary(), 'nc'),
      '--from',
      directory,
      '--answers',
      answers,
    ]);
    return { code, stdout, stderr, last: stdout.trim().split('\n').at(-1), saysBuild: /no faults/.test(stdout) };
  };
  expect(await draft(country({ 'x_cases.csv': weeks, 'book.ods': 'PK\x03\x04' }))).toMatchObject({
    code: 1,
    saysBuild: false,
    last: 'Not used, for the reasons above: book.ods (a file that cannot be read), x_cases.csv (cases). Mend them, or list the other files after --from.',
  });
  const good = await draft(
    country({
      'x_cases.csv': long('code,period,confirmed', iso, ',', ''),
      'x_cases.ods': 'PK\x03\x04',
      'covariates.csv': 'rain,height\n0.5,-0.3\n',
    }),
  );
  expect(good.code).toBe(0);
  expect(good.last).toMatch(/^ {2}covariates\.csv: /);
  expect(good.stdout).toMatch(/Doubts:\n {2}x_cases\.csv: no line end after the last row/);
  const stopped = await draft(country({ 'x_cases.csv': weeks }, ['people.tif', 'census.csv']));
  expect([stopped.code, stopped.stderr]).toEqual([2, expect.stringMatching(/no population raster/)]);
  expect(stopped.stdout).toMatch(/x_cases\.csv +table +144 rows; columns code, period, confirmed/);
});

test('a workbook is not listed once its CSV is read; a table of people that is not used is one line', async () => {
  const monthly = table(
    'code,period,confirmed,people',
    rows((lga, month, i) => [LGAS[lga]!, iso(month), cases(lga, i), people(lga, 2018)]),
  );
  const { draft } = await draftOf(
    country({ 'x.csv': monthly, 'book.ods': 'PK\x03\x04', 'book_tables/2022.csv': 'code,share\nNG001001,5\n' }),
  );
  expect(draft.leftOut.map(({ file, why }) => `${file}: ${why}`)).toEqual([
    'book_tables/2022.csv: by area, but without a column of people, cases, rain or a context figure',
    'x.csv: has the figures of census.csv (population_census)',
  ]);
});

test('a table of people by sex and residence alone is told with what tells its rows apart', async () => {
  const parts = ['Total,HM,100000', 'Total,H,48000', 'Total,M,52000', 'Rural,HM,70000', 'Rural,H,30000'];
  const census = table(
    'code,Residence,Sex,Population',
    LGAS.flatMap((code) => parts.map((part) => `${code},${part}`)),
  );
  await expect(draftOf(country({ 'people.csv': census }, ['census.csv', 'people.tif']))).rejects.toThrow(
    /people\.csv: .* 5 rows for NG001001, told apart by "Residence" and "Sex" \(Total HM, Total H, Total M …\)/,
  );
});

test.each([
  ['thousands beside numbers below them', '1.234\n567', true],
  ['three decimals everywhere', '1.234\n2.345', undefined],
  ['other decimals', '1.234\n5.67', undefined],
  ['a number of four digits without a point', '1.234\n5678', undefined],
])('points between digits are read by the whole column: %s', (_, cells, decimal_comma) => {
  const rows = cells.split('\n').map((cell, i) => ({ line: i + 2, cells: [`Place ${i}`, cell] }));
  expect(guessDialect({ header: ['district', 'cases'], rows }, 'x.csv', { separator: ';' }).decimal_comma).toBe(
    decimal_comma,
  );
});
