import { expect, test } from 'vitest';
import { periodRange } from '../../../../pipeline/contract/months.ts';
import { writeGeotiff } from '../../../../pipeline/synthetic/geotiff-writer.ts';
import { CELLS, GRID, peopleIn, tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf, filesOf } from './drafted.ts';

const GIVEN = { name: 'Tiny country', iso_code: 'NG', upper_one: 'state', upper_many: 'states' };

/** People by cell, with other values in the first cells, and a tag that is none of these. */
const peopleWith = (...first: number[]) =>
  writeGeotiff(
    Float32Array.from({ length: CELLS }, (_, i) => first[i] ?? peopleIn(i)),
    GRID,
    '-3.4e+38',
  );

test('a raster whose negative cells all have one undeclared nodata value is drafted with it', async () => {
  const { files } = tinyCountry();
  const given = filesOf({ ...files, 'people.tif': peopleWith(-99_999, -99_999) });
  const { sources, faults, draft } = await catalogOf(given, GIVEN);
  expect(sources.find(({ role }) => role === 'population')).toMatchObject({ nodata: -99_999 });
  expect(faults).toEqual([]);
  const { notes } = draft.entries.find(({ entry }) => entry.role === 'population')!;
  // 400 cells of 1032 people on average, without the first two.
  expect(notes[0]).toMatch(
    /^411,000 people in total \(population table: [\d,]+\); by area .* table; cells of -99999, .* read as missing \(nodata\)$/,
  );
});

test.each([
  ['another negative value', [-99_999, -5]],
  ['the value of the tag', [-99_999, -3.4e38]],
])('with %s beside it, the raster is left out', async (_, first) => {
  const { files } = tinyCountry();
  const { draft } = await draftOf(filesOf({ ...files, 'people.tif': peopleWith(...first) }));
  expect(draft.entries.map(({ entry }) => entry.role)).not.toContain('population');
  expect(draft.leftOut.find(({ file }) => file === 'people.tif')!.why).toMatch(
    'found -99999, expected a measured value',
  );
});

test('a raster that cannot be read, or has no value, is missed', async () => {
  const { files } = tinyCountry();
  const empty = writeGeotiff(new Float32Array(CELLS).fill(-1), GRID, '-1');
  const { draft } = await draftOf(filesOf({ ...files, 'wind.tif': String(files['census.csv']), 'tiles.tif': empty }));
  const unreadable = { kind: 'left out', lost: 'a raster that cannot be read' };
  expect(draft.leftOut.filter(({ file }) => file.endsWith('.tif'))).toMatchObject([
    { ...unreadable, file: 'tiles.tif', why: expect.stringMatching(/found no cell with a value/) },
    { ...unreadable, file: 'wind.tif' },
  ]);
});

const rainOf = (months: readonly string[]) =>
  Object.fromEntries(
    months.map((month, i) => [
      `chirps-v2.0.${month.replace('-', '.')}.tif`,
      writeGeotiff(new Float32Array(CELLS).fill(10 + i), GRID),
    ]),
  );

test.each([
  [
    'longer than the table',
    // The table has 2018-01 to 2021-12.
    periodRange('2017-12', '2021-12'),
    'chirps-v2.0.2017.12.tif',
    'climate.csv: rain of 48 months, 2018-01 to 2021-12; used instead: chirps-v2.0.2017.12.tif and 48 more, 49 months, 2017-12 to 2021-12; lost with it: no month',
  ],
  [
    'as long as the table, of other months',
    periodRange('2017-12', '2021-11'),
    'climate.csv',
    'chirps-v2.0.2017.12.tif and 47 more: rain of 48 months, 2017-12 to 2021-11; used instead: climate.csv, 48 months, 2018-01 to 2021-12; lost with it: rain of 2017-12',
  ],
])('of rain, rasters %s: one is used, the other listed with what is lost', async (_, months, used, why) => {
  const { draft } = await draftOf(filesOf({ ...tinyCountry().files, ...rainOf(months) }));
  const rain = draft.entries.filter(({ entry }) => entry.role === 'climate');
  expect(rain.map(({ files }) => files[0]!.path)).toEqual([used]);
  expect(draft.leftOut.map((left) => `${left.file}: ${left.why}`)).toContain(why);
});

const raster = (factor: number) =>
  writeGeotiff(
    Float32Array.from({ length: CELLS }, (_, i) => factor * peopleIn(i)),
    GRID,
  );
const { 'people.tif': people, 'census.csv': census, ...others } = tinyCountry().files;
const used = async (files: Record<string, string | Buffer>, answers = {}) => {
  const { draft } = await draftOf(filesOf({ ...others, ...files }), answers);
  const filesIn = (role: string) =>
    draft.entries.filter(({ entry }) => entry.role === role).flatMap(({ files }) => files.map(({ path }) => path));
  return { raster: filesIn('population'), table: filesIn('population_census'), draft };
};

test('a raster is of people if it agrees with a table of people, whatever its name', async () => {
  const found = await used({ 'census.csv': census!, 'mosaic.tif': people!, 'population_2030.tif': raster(1.4) });
  expect(found).toMatchObject({ raster: ['mosaic.tif'], table: ['census.csv'] });
  expect((await used({ 'census.csv': census!, 'mosaic.tif': raster(1.4) })).raster).toEqual([]);
});

test('without a table, a raster whose name says nothing is one of people if it is answered', async () => {
  await expect(used({ 'mosaic.tif': people! })).rejects.toThrow(
    'if height.tif or mosaic.tif is of people, answer "population" with it',
  );
  const { raster, draft } = await used({ 'mosaic.tif': people! }, { population: 'mosaic.tif' });
  expect(raster).toEqual(['mosaic.tif']);
  expect(draft.questions).toContainEqual(expect.objectContaining({ id: 'population', guess: 'mosaic.tif' }));
});

test('numbers that do not agree with the raster as another table does are not people, nor is a mere total', async () => {
  const nets = String(census).replace('people', 'Total').replaceAll(',10000', ',5500');
  const both = await used({ 'a_nets.csv': nets, 'census.csv': census!, 'people.tif': people! });
  expect(both.table).toEqual(['census.csv']);
  expect(both.draft.leftOut).toContainEqual({
    kind: 'left out',
    file: 'a_nets.csv',
    why: '"Total" is not taken for people: in the middle area, people.tif has 1.88 times as many; the people are those of census.csv',
    lost: null,
  });
  expect((await used({ 'a_nets.csv': nets, 'people.tif': people! })).table).toEqual([]);
  expect((await used({ 'a_nets.csv': nets, 'census.csv': census! })).table).toEqual(['census.csv']);
});

test('of population rasters of several years, without a table, that of the last records weights, and all give growth', async () => {
  const years = { 'pop_2015.tif': raster(0.9), 'pop_2021.tif': raster(1), 'pop_2030.tif': raster(1.3) };
  const { raster: chosen, draft } = await used({ ...years, 'pop_children_2021.tif': raster(0.2) });
  expect(chosen).toEqual(['pop_2021.tif', 'pop_2015.tif', 'pop_2030.tif']);
  const { files } = draft.entries.find(({ entry }) => entry.role === 'population')!;
  expect(files.map(({ year }) => year)).toEqual([2021, 2015, 2030]);
  expect(draft.questions).toContainEqual(expect.objectContaining({ id: 'population', guess: 'pop_2021.tif' }));
});

test('of population rasters of several years beside a table, that of the last records weights, whichever fits it best', async () => {
  const years = { 'pop_2015.tif': raster(0.9), 'pop_2021.tif': raster(1), 'pop_2030.tif': raster(1.3) };
  const large = String(census).replaceAll(',1000', ',1300');
  const { raster: chosen } = await used({ ...years, 'census.csv': large, 'pop_women_2021.tif': raster(0.5) });
  expect(chosen).toEqual(['pop_2021.tif', 'pop_2015.tif', 'pop_2030.tif']);
});

test('people are of the year in the name of their file or in the answer, which is asked for without it', async () => {
  const filesWith = async (answers: Record<string, string>) => {
    const { draft } = await used({ 'census.csv': census!, 'people.tif': people! }, answers);
    const question = draft.questions.find(({ id }) => id === 'year of the people in census.csv');
    return [question!.guess, draft.entries.find(({ entry }) => entry.role === 'population_census')!.files];
  };
  expect(await filesWith({})).toEqual(['unknown', [{ path: 'census.csv' }]]);
  const answered = { 'year of the people in census.csv': '2018' };
  expect(await filesWith(answered)).toEqual(['unknown', [{ path: 'census.csv', year: 2018 }]]);
  const { draft } = await used({ 'census_2015.csv': census!, 'people.tif': people! });
  const { files } = draft.entries.find(({ entry }) => entry.role === 'population_census')!;
  expect(files).toEqual([{ path: 'census_2015.csv', year: 2015 }]);
  expect(draft.questions.map(({ id }) => id).join()).not.toContain('year of the people');
});
