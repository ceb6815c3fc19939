/** Made-up countries of other sizes than Nigeria's. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import { openRaster } from '../../../pipeline/ingest/readers/geotiff.ts';
import { writeSyntheticCountry } from '../../../pipeline/synthetic/country.ts';
import { chooseStates, countrySize, lgaCounts, NIGERIAN_SIZE } from '../../../pipeline/synthetic/size.ts';
import { STATES } from '../../../pipeline/synthetic/states.ts';
import { hashTree, temporary } from '../../support/command-line.ts';

test('sizes that are not given are proportional to states; impossible sizes are refused', () => {
  expect(countrySize({})).toEqual(NIGERIAN_SIZE);
  expect(countrySize({ states: 5, months: 120 })).toEqual({
    ...NIGERIAN_SIZE,
    states: 5,
    lgas: 105,
    clusters: 266,
    months: 120,
  });
  expect(() => countrySize({ states: 38 })).toThrow('states: found 38, expected 2 to 37');
  expect(() => countrySize({ states: 5, lgas: 800 })).toThrow('lgas: found 800, expected 10 to 735');
  expect(() => countrySize({ cells_per_degree: 130 })).toThrow(
    'cells_per_degree: found 130, expected a multiple of 120',
  );
});

test('every state has its share of LGAs', () => {
  const all = chooseStates(1, NIGERIAN_SIZE);
  expect(lgaCounts(NIGERIAN_SIZE, all)).toEqual(STATES.map(({ lgas }) => lgas));
  const counts = lgaCounts(countrySize({ lgas: 3096 }), all);
  expect(counts).toEqual(STATES.map(({ lgas }) => 4 * lgas));
  for (const seed of [1, 2, 3]) {
    const size = countrySize({ states: 4, lgas: 11 });
    const kept = chooseStates(seed, size);
    expect(new Set(kept).size).toBe(4);
    expect(lgaCounts(size, kept).reduce((sum, count) => sum + count, 0)).toBe(11);
    expect(Math.min(...lgaCounts(size, kept))).toBeGreaterThan(0);
  }
});

test('a country of three states with finer cells has a valid catalog of that size and reproducible bytes', async () => {
  const size = countrySize({ states: 3, lgas: 12, clusters: 90, months: 72, cells_per_degree: 240 });
  const [one, two] = [temporary(), temporary()];
  for (const out of [one, two]) await writeSyntheticCountry({ seed: 4, size, out });
  expect(hashTree(one)).toEqual(hashTree(two));
  const { model, sources } = readCountry(one);
  expect(model).toMatchObject({ expected: { states: 3, lgas: 12 }, first_estimated: '2018-01' });
  expect(model.states).toHaveLength(3);
  const rows = (file: string) => readFileSync(path.join(one, file), 'utf8').trimEnd().split('\n').slice(1);
  expect(rows('population/census.csv').length).toBe(12);
  const clusters = new Set(rows('surveys/clusters_2010_2015_2018.csv').map((row) => row.split(',')[2]));
  expect(clusters.size).toBe(90);
  const pcodes = model.states.map(({ state_pcode }) => state_pcode);
  for (const { gaps = [] } of sources)
    for (const { state_pcode, lga_pcode } of gaps) expect(pcodes).toContain(state_pcode ?? lga_pcode?.slice(0, 5));
  const raster = await openRaster(path.join(one, 'population/population.tif'), { nodata: 'none' });
  expect(raster.grid.cellWidth).toBeCloseTo(1 / 240, 9);
  expect(raster.grid.columns).toBeLessThan(2 * 1440);
  await raster.close();
});
