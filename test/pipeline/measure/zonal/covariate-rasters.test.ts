import { expect, test } from 'vitest';
import type { Source } from '../../../../pipeline/catalog/sources.ts';
import type { ReportLine } from '../../../../pipeline/engine/stage.ts';
import { type Table, toRows } from '../../../../pipeline/lib/tables/table.ts';
import { fillCells } from '../../../../pipeline/measure/zonal/covariate-rasters.ts';
import type { PredictionCell } from '../../../../pipeline/measure/zonal/zonal-tables.ts';
import { GRID } from '../../../support/tiny-country.ts';
import { heightCovariate } from '../../covariates.ts';
import { raster, read } from '../../ingest/broken.ts';

const cells = [0, 0.1, 0.3].map((longitude, i) => ({
  lga_code: `L${i}`,
  longitude,
  latitude: 0,
  population: [50, 30, 20][i]!,
})) as PredictionCell[];
const fill = (values: (number | null)[], gaps: Source['gaps'] = []) => {
  const report: ReportLine[] = [];
  const source = { id: 'height', unit: 'm', files: [{ path: 'height.tif' }], gaps } as unknown as Source;
  return { values: fillCells(source, cells, values, report), report };
};

test('cells without a value get the nearest value within the limit, else the declared value; both are reported', () => {
  const { values, report } = fill(
    [null, 7, null],
    [
      { rule: 'nearest', km: 15, reason: 'coast' },
      { rule: 'value', value: 3, reason: 'islands' },
    ],
  );
  expect(values).toEqual([7, 7, 3]);
  expect(report.map(({ rule, what }) => `${rule}: ${what}`)).toEqual([
    'nearest: 1 of 3 prediction cells (50.000% of people) are set to the nearest value, at most 11.1 km away: coast',
    'value: 1 of 3 prediction cells (20.000% of people) are set to 3 m: islands',
  ]);
  expect(fill([1, 2, 3]).report).toEqual([]);
});

test('a missing value is refused if no rule applies', () => {
  const found =
    /height\.tif, L2 at 0\.300, 0\.000: found no value where people live, 22\.2 km from the nearest value \(2 of 3/;
  expect(() => fill([null, 7, null], [{ rule: 'nearest', km: 15, reason: 'coast' }])).toThrow(found);
  expect(() => fill([null, 7, 7])).toThrow('expected a value, or a gap declared in sources.json');
  expect(() => fill([null, null, null], [{ rule: 'nearest', km: 15, reason: 'x' }])).toThrow(
    'no value where people live (3',
  );
});

const covariatesOf = async (change: Parameters<typeof read>[0]) => {
  const { rasters } = await read(change);
  const found = toRows<{ covariate: string; cell: number; value: number }>((rasters.covariates as Table).columns);
  const places = toRows<PredictionCell>((rasters.cells as Table).columns);
  return { found, places, values: found.map(({ value }) => value), report: rasters.report };
};

test("a raster's values are means over the people of each prediction cell, in the cells' order", async () => {
  const { found, places, values } = await covariatesOf(heightCovariate());
  expect(found.map(({ covariate, cell }) => `${covariate} ${cell}`)).toEqual(places.map((_, cell) => `height ${cell}`));
  // The elevation role pools the same raster with the same weights.
  expect(values).toEqual(places.map(({ elevation_m }) => elevation_m));
  expect(new Set(values).size).toBeGreaterThan(10);
});

test('a raster without values in the west is refused, or filled from the nearest cells by a declared gap', async () => {
  const withoutWest = (gaps: Source['gaps']) => async () =>
    covariatesOf((country) => {
      heightCovariate({}, { gaps, nodata: -1 })(country);
      country.sources.at(-1)!.files = [{ path: 'west.tif' }];
      raster('west.tif', (i) => (i % GRID.columns < 1 ? -1 : 100 + (i % GRID.columns)))(country);
    });
  await expect(withoutWest([])()).rejects.toThrow(/west\.tif, NG001001 at 3\.\d+.*found no value where people live/);
  const { places, values, report } = await withoutWest([{ rule: 'nearest', km: 20, reason: 'border' }])();
  const west = places.flatMap(({ longitude }, country) => (longitude < 3.1 ? [values[country]!] : []));
  expect(west.length).toBeGreaterThan(0);
  expect(Math.min(...west)).toBeGreaterThanOrEqual(101);
  expect(report.some(({ source, rule }) => source === 'height' && rule === 'nearest')).toBe(true);
});

test('a raster with values outside its range is refused', async () => {
  await expect(covariatesOf(heightCovariate({}, { range: [0, 120] }))).rejects.toThrow('height.tif');
});
