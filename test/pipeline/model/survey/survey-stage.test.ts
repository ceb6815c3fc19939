import { expect, test } from 'vitest';
import type { Model } from '../../../../pipeline/catalog/model.ts';
import type { Areas, Cluster, Surveys } from '../../../../pipeline/ingest/ingest-tables.ts';
import { run } from '../../../../pipeline/model/survey/survey-stage.ts';
import type { TrendRow } from '../../../../pipeline/model/survey/survey-tables.ts';
import { ioOf, outputRows } from '../../../support/stage-io.ts';

const areas: Areas = {
  states: [
    { state_code: 'AA', state_pcode: 'NG001', state: 'Aa', zone: 'NW' },
    { state_code: 'BB', state_pcode: 'NG002', state: 'Bb', zone: 'SS' },
  ],
  lgas: [
    { lga_code: 'NG001001', lga: 'One', state_code: 'AA' },
    { lga_code: 'NG002001', lga: 'Two', state_code: 'BB' },
    { lga_code: 'NG002002', lga: 'Three', state_code: 'BB' },
  ],
};
const census = [
  { lga_code: 'NG001001', people: 5, children_0_4: 3 },
  { lga_code: 'NG002001', people: 5, children_0_4: 1 },
];
const cluster = (survey_year: number, state_code: string, of: Partial<Cluster>): Cluster => ({
  cluster_id: 'x',
  survey_year,
  period: `${survey_year}-10`,
  state_code,
  lga_code: null,
  longitude: null,
  latitude: null,
  displaced: false,
  method: 'microscopy',
  youngest_months: null,
  oldest_months: null,
  urban: null,
  examined: 50,
  positivity: 0.2,
  weight: 1,
  ...of,
});

async function trendOf(clusters: Cluster[], area_rounds: Surveys['area_rounds'] = []) {
  const artifacts: Record<string, unknown> = {
    'ingest/states': areas.states,
    'ingest/lgas': areas.lgas,
    'ingest/clusters': clusters,
    'ingest/area_rounds': area_rounds,
    'ingest/census': census,
    'context/lgas': [
      { lga_code: 'NG001001', is_urban: true },
      { lga_code: 'NG002001', is_urban: false },
      { lga_code: 'NG002002', is_urban: false },
    ],
  };
  const model = { parameters: { survey: { small_sample: 100, confidence: 0.95 } } } as Model;
  const { trend, report } = await run(ioOf(artifacts, { model }));
  const rows = outputRows<TrendRow>(trend);
  const [national, AA, BB] = [null, 'AA', 'BB'].map((code) => rows.filter(({ state_code }) => state_code === code));
  return { national: national!, states: { AA: AA!, BB: BB! }, report };
}

test("clusters are urban or rural by their own value, else by their LGA's; without such clusters the figure is null", async () => {
  const { national } = await trendOf([
    cluster(2010, 'AA', { lga_code: 'NG001001', positivity: 0.1 }),
    cluster(2010, 'AA', { lga_code: 'NG001001', urban: false, positivity: 0.5 }),
    cluster(2010, 'BB', { lga_code: 'NG002001', positivity: 0.3 }),
    cluster(2010, 'BB', { positivity: 0.9 }),
    cluster(2015, 'BB', { lga_code: 'NG002001', positivity: 0.3 }),
  ]);
  expect(national[0]!.urban).toBeCloseTo(0.1, 12);
  expect(national[0]!.rural).toBeCloseTo(0.4, 12);
  expect(national[0]!.positivity).toBeCloseTo(0.45, 12);
  expect([national[1]!.urban, national[1]!.rural]).toEqual([null, 0.3]);
});

test('fewer than 100 children are a small sample, 100 are not; the flag agrees with the rounded number', async () => {
  const flags = async (...examined: number[]) => {
    const { states } = await trendOf(examined.map((n) => cluster(2010, 'AA', { examined: n })));
    return states.AA.map(({ children_tested, small_sample, clusters }) => ({
      children_tested,
      small_sample,
      clusters,
    }));
  };
  expect(await flags(60, 39)).toEqual([{ children_tested: 99, small_sample: true, clusters: 2 }]);
  expect(await flags(60, 40)).toEqual([{ children_tested: 100, small_sample: false, clusters: 2 }]);
  expect(await flags(60, 39.6)).toEqual([{ children_tested: 100, small_sample: false, clusters: 2 }]);
});

test('small samples are told only if there are any', async () => {
  const rulesOf = async (examined: number) =>
    (await trendOf([cluster(2010, 'AA', { examined })])).report!.map(({ rule }) => rule);
  expect(await rulesOf(99)).toEqual(['small samples flagged']);
  expect(await rulesOf(100)).toEqual([]);
});

test('a round with results by state only has positivity and nulls; the national figure is weighted by children', async () => {
  const trend = await trendOf([cluster(2018, 'AA', {})], [
    { survey_year: 2021, state_code: 'AA', lga_code: null, examined: null, positivity: 0.1 },
    { survey_year: 2021, state_code: 'BB', lga_code: null, examined: null, positivity: 0.5 },
  ] as Surveys['area_rounds']);
  const unknown = { low: null, high: null, clusters: null, children_tested: null, small_sample: false };
  expect(trend.states.BB).toMatchObject([{ survey_year: 2021, positivity: 0.5, ...unknown, urban: null, rural: null }]);
  expect(trend.states.AA.map(({ survey_year }) => survey_year)).toEqual([2018, 2021]);
  expect(trend.national[1]).toMatchObject({ survey_year: 2021, ...unknown, urban: null, rural: null });
  expect(trend.national[1]!.positivity).toBeCloseTo((3 * 0.1 + 1 * 0.5) / 4, 12);
});

test('a round by area of the lower level gives the figures above, weighted by children', async () => {
  const result = (lga_code: string, state_code: string, positivity: number) =>
    ({ survey_year: 2021, state_code, lga_code, positivity, examined: 100 }) as Surveys['area_rounds'][number];
  const { national, states } = await trendOf([], [result('NG001001', 'AA', 0.2), result('NG002001', 'BB', 0.5)]);
  expect(states.AA[0]).toMatchObject({ positivity: 0.2, low: null, clusters: null, children_tested: null });
  expect(national[0]!.positivity).toBeCloseTo((3 * 0.2 + 1 * 0.5) / 4, 12);
});

test('sampling weights affect positivity, not the number of children tested', async () => {
  const { states } = await trendOf([
    cluster(2010, 'AA', { positivity: 0.1, weight: 3 }),
    cluster(2010, 'AA', { positivity: 0.5, weight: 1 }),
  ]);
  expect(states.AA[0]!.positivity).toBeCloseTo(0.2, 12);
  expect(states.AA[0]!.children_tested).toBe(100);
});
