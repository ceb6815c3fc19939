import { expect, test } from 'vitest';
import { compareWithTruth, poolGroups, scoreGroups } from '../../../pipeline/validate/compare-truth.ts';
import { GROUPINGS, groupLgas, type LgaGroups, monthGroups } from '../../../pipeline/validate/truth-groups.ts';

const span = { first_estimated: '2015-01', last_estimated: '2023-12', fieldwork_months: new Set([10, 12]) };
const town: LgaGroups = { zone: 'NW', distance: 'below 5 km', setting: 'urban' };
const village: LgaGroups = { zone: 'SE', distance: '20 km or more', setting: 'rural' };
const row = (lga_code: string, period: string, score: number) => ({
  lga_code,
  period,
  score,
  score_low: score - 0.1,
  score_high: score + 0.1,
});
const lgas = [row('A', '2018-12', 0.2), row('A', '2024-01', 0.3), row('B', '2019-01', 0.5)];
const scored = {
  lgas,
  baseline: lgas.map((own) => ({ ...own, score: 0.4 })),
  draws: null,
  lgaGroups: new Map([
    ['A', town],
    ['B', village],
  ]),
  span,
};

test('an estimated month belongs to one group of each grouping, a forecast month to a single group', () => {
  expect(monthGroups('2018-12', town, span)).toEqual([
    ['all', 'estimated'],
    ['block', '2018-2020'],
    ['year', '2018'],
    ['months', 'months of fieldwork'],
    ['zone', 'NW'],
    ['distance', 'below 5 km'],
    ['setting', 'urban'],
  ]);
  expect(monthGroups('2019-11', town, span)[3]).toEqual(['months', 'other months']);
  expect(monthGroups('2024-01', town, span)).toEqual([['all', 'forecast']]);
  expect(monthGroups('2023-12', town, { ...span, first_estimated: '2016-03' })[1]).toEqual(['block', '2022-2023']);
  expect(monthGroups('2022-01', town, { ...span, first_estimated: '2016-03', last_estimated: '2022-05' })[1]).toEqual([
    'block',
    '2022',
  ]);
});

test('each group is scored on its own LGA-months, and pooled countries on all of them', () => {
  const truth = (lga_code: string) => (lga_code === 'A' ? 0.25 : 0.7);
  const once = compareWithTruth(scored, truth);
  const score = Object.fromEntries(scoreGroups(once, GROUPINGS).map((own) => [`${own.by} ${own.group}`, own]));
  expect(score['all estimated']).toMatchObject({ lga_months: 2, coverage_90: 0.5, bias: -0.125 });
  expect(score['all forecast']).toMatchObject({ lga_months: 1, coverage_90: 1, bias: 0.05 });
  expect(score['zone NW']).toMatchObject({ lga_months: 1, coverage_90: 1, bias: -0.05, baseline_rmse: 0.15 });
  expect(score['setting rural']).toMatchObject({ lga_months: 1, coverage_90: 0, interval_score: 0.2 + 20 * 0.1 });
  const other = compareWithTruth(scored, () => 0.2);
  const pooled = scoreGroups(poolGroups([once, other]), GROUPINGS);
  expect(pooled.find(({ group }) => group === 'SE')).toMatchObject({ lga_months: 2, bias: 0.05 });
  expect(pooled.map(({ by }) => by)).toEqual(pooled.map(({ by }) => by).toSorted((a, b) => order(a) - order(b)));
  // pooling does not change the countries' own sums
  expect(scoreGroups(once, GROUPINGS)).toEqual(Object.values(score));
});
const order = (by: string) => (GROUPINGS as readonly string[]).indexOf(by);

test('the draws are those of the scored row', () => {
  const draws = (month: number) => (i: number) => {
    expect(lgas[i]!.period.endsWith(String(month).padStart(2, '0'))).toBe(true);
    return [0, 1, 2, 3, 4].map((k) => lgas[i]!.score + 0.01 * (k - 2));
  };
  const truth = (lga_code: string, period: string) =>
    lgas.find((row) => row.lga_code === lga_code && row.period === period)!.score;
  const groups = scoreGroups(compareWithTruth({ ...scored, draws }, truth), GROUPINGS);
  for (const own of groups) expect(own).toMatchObject({ coverage_50: 1, coverage_95: 1 });
});

test('LGAs are grouped by zone, by the setting of most people, and by distance from their centre to the nearest cluster', () => {
  const figures = { elevation_m: null } as never;
  const zonal = [
    { ...(figures as object), lga_code: 'A', population: 100, urban_population: 51 },
    { ...(figures as object), lga_code: 'B', population: 100, urban_population: 50 },
  ] as never;
  // A's centre of population is midway between two cells, at 9.5° N, 8° E; B's is at 12° N, 8° E
  const cells = {
    lga_code: ['A', 'A', 'B'],
    longitude: [8, 8, 8],
    latitude: [9, 10, 12],
    population: [1, 1, 1],
  } as never;
  const areas = {
    states: [{ state_code: 'KN', zone: 'NW' }],
    lgas: ['A', 'B'].map((lga_code) => ({ lga_code, lga: lga_code, state_code: 'KN' })),
  } as never;
  const at = (longitude: number | null, latitude: number | null, lga_code: string | null = null) =>
    ({ longitude, latitude, lga_code }) as never;
  // a tenth of a degree is 11.1 km of latitude, and 10.9 km of longitude at 12° N
  const lgaGroups = groupLgas(areas, zonal, cells, [at(8, 9.6), at(8, 9.3), at(8.3, 12), at(null, null)]);
  expect(lgaGroups.get('A')).toEqual({ zone: 'NW', distance: '10-20 km', setting: 'urban' });
  expect(lgaGroups.get('B')).toEqual({ zone: 'NW', distance: '20 km or more', setting: 'rural' });
  // a cluster known by its LGA only has distance 0
  expect(groupLgas(areas, zonal, cells, [at(null, null, 'B')]).get('B')?.distance).toBe('below 5 km');
  expect(groupLgas(areas, zonal, cells, []).get('B')?.distance).toBe('20 km or more');
});
