import path from 'node:path';
import { expect, test } from 'vitest';
import { withConnection } from '../../../../pipeline/lib/tables/duckdb.ts';
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

test('a survey in two files is joined by the command that new-country prints, and then drafted', async () => {
  const directory = filesOf({ ...OTHERS, 'places.csv': PLACES, 'results.csv': RESULTS });
  const { draft } = await draftOf(directory);
  const survey = draft.leftOut.filter(({ file }) => ['places.csv', 'results.csv'].includes(file));
  expect(survey).toEqual([
    expect.objectContaining({
      file: 'places.csv',
      why: 'the places of clusters whose results are in results.csv; join both (see there)',
    }),
    expect.objectContaining({
      file: 'results.csv',
      why: expect.stringMatching(
        /^the results of clusters whose places are in places\.csv; join both by DHSYEAR and DHSCLUST, with a row for each cluster and test: duckdb -c '.*'$/,
      ),
      lost: 'survey results',
    }),
  ]);
  const [, quoted] = /duckdb -c '(.*)'$/.exec(survey[1]!.why)!;
  const sql = quoted!
    .replaceAll("'\\''", "'")
    .replaceAll(/'(\w+\.csv)'/g, (_all, file) => `'${path.join(directory, file)}'`);
  await withConnection((db) => db.run(sql));
  const { sources, faults, draft: again } = await catalogOf(directory, GIVEN);
  expect(faults).toEqual([]);
  expect(again.leftOut.filter(({ file }) => ['places.csv', 'results.csv'].includes(file))).toMatchObject([
    { why: 'joined with results.csv in survey.csv', lost: null },
    { why: 'joined with places.csv in survey.csv', lost: null },
  ]);
  expect(sources.find(({ role }) => role === 'survey_clusters')).toMatchObject({
    columns: {
      survey_year: 'DHSYEAR',
      method: 'method',
      examined: 'examined',
      positive: 'positive',
      longitude: 'LONGNUM',
    },
    files: [{ path: 'survey.csv', rows: 16 }],
    methods: { microscopy: 'microscopy', rdt: 'rdt' },
  });
});

test.each([
  ['other clusters', PLACES.replaceAll(/,(2018|2021),/g, ',2010,')],
  ['two places of one cluster', `${PLACES}x,2018,1,R,4.5,3.5\n`],
])('a list of %s is not the other file', async (_reason, places) => {
  const { draft } = await draftOf(filesOf({ ...OTHERS, 'places.csv': places, 'results.csv': RESULTS }));
  expect(draft.leftOut.map(({ why }) => why).join('\n')).not.toMatch(/join both/);
});
