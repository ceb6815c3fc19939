import mapshaper from 'mapshaper';
import { expect, test } from 'vitest';
import { tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf, filesOf } from './drafted.ts';

const GIVEN = { name: 'Tiny country', iso_code: 'NG', upper_one: 'state', upper_many: 'states' };
/** Four clusters in each of two surveys, one for each area; numbers start again at 1. */
const CLUSTERS = [2018, 2021].flatMap((year) => [1, 2, 3, 4].map((cluster) => ({ year, cluster })));
const lines = (header: string, cells: (of: (typeof CLUSTERS)[number]) => (string | number)[]) =>
  `${[header, ...CLUSTERS.map((of) => cells(of).join(','))].join('\n')}\n`;
const PLACES = lines('DHSID,DHSYEAR,DHSCLUST,URBAN_RURA,LATNUM,LONGNUM', ({ year, cluster }) => [
  `NG${year}${cluster}`,
  year,
  cluster,
  'R',
  4.5,
  2.5 + cluster,
]);
const RESULTS = lines('DHSYEAR,DHSCLUST,hv007,hv006,rdt_tested,rdt_pos,mic_tested,mic_pos', ({ year, cluster }) => [
  year,
  cluster,
  year,
  10,
  30,
  3 + cluster,
  20,
  2 + cluster,
]);
const { 'surveys.csv': _, ...OTHERS } = tinyCountry().files;

test('a survey in two files is joined by year and cluster in the catalog', async () => {
  const { sources, faults, draft } = await catalogOf(
    filesOf({ ...OTHERS, 'places.csv': PLACES, 'results.csv': RESULTS }),
    GIVEN,
  );
  expect(faults).toEqual([]);
  expect(draft.leftOut.filter(({ file }) => ['places.csv', 'results.csv'].includes(file))).toEqual([]);
  expect(sources.find(({ role }) => role === 'survey_clusters')).toMatchObject({
    columns: {
      survey_year: 'DHSYEAR',
      method: 'method',
      examined: 'examined',
      positive: 'positive',
      longitude: 'LONGNUM',
      urban: 'URBAN_RURA',
    },
    files: [
      { path: 'results.csv', rows: 16 },
      { path: 'places.csv', join: { on: { DHSYEAR: 'DHSYEAR', DHSCLUST: 'DHSCLUST' }, format: 'csv' } },
    ],
    methods: { microscopy: 'microscopy', rdt: 'rdt' },
  });
});

test('places may be a shapefile of points, of which the table is read', async () => {
  const features = CLUSTERS.map((of) => ({
    type: 'Feature',
    properties: { DHSYEAR: of.year, DHSCLUST: of.cluster, LATNUM: 4.5, LONGNUM: 2.5 + of.cluster },
    geometry: { type: 'Point', coordinates: [2.5 + of.cluster, 4.5] },
  }));
  const shapes = await mapshaper.applyCommands('-i a.json -o GE.shp', {
    'a.json': { type: 'FeatureCollection', features },
  });
  const { sources, faults, draft } = await catalogOf(filesOf({ ...OTHERS, ...shapes, 'results.csv': RESULTS }), GIVEN);
  expect(faults).toEqual([]);
  expect(sources.find(({ role }) => role === 'survey_clusters')?.files).toMatchObject([
    { path: 'results.csv' },
    { path: 'GE.dbf', join: { format: 'dbf' } },
    { path: 'GE.cpg' },
  ]);
  expect(draft.leftOut).toContainEqual(
    expect.objectContaining({ file: 'GE.shp', why: 'points, which are read from its table, GE.dbf', lost: null }),
  );
});

test('clusters without a place are found by the check, which knows what would leave them out', async () => {
  const places = PLACES.replaceAll(/.*,2021,[34],.*\n/g, '');
  const { faults } = await catalogOf(filesOf({ ...OTHERS, 'places.csv': places, 'results.csv': RESULTS }), GIVEN);
  const remedy = { declare: 'leave_out', where: { longitude: null, latitude: null } };
  // Each has a row for each test.
  expect(faults.map((fault) => [fault.what.replace(/: found.*/, ''), fault.remedy])).toEqual(
    [8, 8, 9, 9].map((row) => [`results.csv, row ${row}`, remedy]),
  );
});

test('places of several rounds with the same numbers go to the results with their year, or to none', async () => {
  const of = (table: string, year: number) =>
    table
      .split('\n')
      .filter((line, i) => i === 0 || line === '' || line.includes(`${year},`))
      .join('\n');
  const places = (year: number) => of(PLACES, year).replaceAll(/DHSYEAR,|(?<=,)20\d\d,/g, '');
  const files = { 'results_2018.csv': of(RESULTS, 2018), 'a_2018.csv': places(2018), 'b_2021.csv': places(2021) };
  const { draft } = await draftOf(filesOf({ ...OTHERS, ...files }));
  const survey = draft.entries.find(({ entry }) => entry.role === 'survey_clusters');
  expect(survey?.files.map(({ path }) => path)).toEqual(['results_2018.csv', 'a_2018.csv']);
  const unnamed = { 'results.csv': of(RESULTS, 2018), 'a.csv': places(2018), 'b.csv': places(2021) };
  const { draft: other } = await draftOf(filesOf({ ...OTHERS, ...unnamed }));
  expect(other.leftOut).toContainEqual(
    expect.objectContaining({
      file: 'results.csv',
      why: 'the places of its clusters may be in a.csv and b.csv: give both files of a survey the same year in their names',
      lost: 'survey results',
    }),
  );
});

test.each([
  ['other clusters', PLACES.replaceAll(/,(2018|2021),/g, ',2010,')],
  ['two places of one cluster', `${PLACES}x,2018,1,R,4.5,3.5\n`],
])('a list of %s is not the other file', async (_reason, places) => {
  const { draft } = await draftOf(filesOf({ ...OTHERS, 'places.csv': places, 'results.csv': RESULTS }));
  expect(draft.entries.map(({ entry }) => entry.role)).not.toContain('survey_clusters');
});
