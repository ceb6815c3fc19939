import { expect, test } from 'vitest';
import type { PredictionCell, ReportLine } from '../../../pipeline/artifacts.ts';
import type { Source } from '../../../pipeline/catalog/sources.ts';
import { rowsOf, type Table } from '../../../pipeline/table.ts';
import { fillCells } from '../../../pipeline/zonal/covariates.ts';
import { heightCovariate } from '../covariates.ts';
import { grid, raster, read } from '../ingest/broken.ts';

const cells = [0, 0.1, 0.3].map((longitude, i) => ({
  ...{ lga_code: `L${i}`, longitude, latitude: 0, population: [50, 30, 20][i]! },
})) as PredictionCell[];
const fill = (values: (number | null)[], gaps: Source['gaps'] = []) => {
  const report: ReportLine[] = [];
  const source = { id: 'height', unit: 'm', files: [{ path: 'height.tif' }], gaps } as unknown as Source;
  return { values: fillCells(source, cells, values, report), report };
};

test('cells without a value take the nearest within reach, then the declared value, and the report says how many', () => {
  const { values, report } = fill(
    [null, 7, null],
    [
      { rule: 'nearest', km: 15, reason: 'coast' },
      { rule: 'value', value: 3, reason: 'islands' },
    ],
  );
  expect(values).toEqual([7, 7, 3]);
  expect(report.map(({ rule, what }) => `${rule}: ${what}`)).toEqual([
    'nearest: 1 of 3 prediction cells (50.000% of people) take the nearest value, at most 11.1 km away: coast',
    'value: 1 of 3 prediction cells (20.000% of people) take 3 m: islands',
  ]);
  expect(fill([1, 2, 3]).report).toEqual([]);
});

test('a missing value without a rule that reaches stops the build', () => {
  const found =
    /height\.tif, L2 at 0\.300, 0\.000: found no valid cell where people live, 22\.2 km from the nearest value \(2 of 3/;
  expect(() => fill([null, 7, null], [{ rule: 'nearest', km: 15, reason: 'coast' }])).toThrow(found);
  expect(() => fill([null, 7, 7])).toThrow('expected one, or a gap declared in sources.json');
  expect(() => fill([null, null, null], [{ rule: 'nearest', km: 15, reason: 'x' }])).toThrow(
    'no valid cell where people live (3',
  );
});

const covariatesOf = async (change: Parameters<typeof read>[0]) => {
  const { rasters } = await read(change);
  const found = rowsOf<{ covariate: string; cell: number; value: number }>((rasters.covariates as Table).columns);
  const places = rowsOf<PredictionCell>((rasters.cells as Table).columns);
  return { found, places, values: found.map(({ value }) => value), report: rasters.report };
};

test("a raster's values are means over the people of each prediction cell, in the cells' order", async () => {
  const { found, places, values } = await covariatesOf(heightCovariate());
  expect(found.map(({ covariate, cell }) => `${covariate} ${cell}`)).toEqual(places.map((_, cell) => `height ${cell}`));
  // the role of elevation pools the same raster by the same people
  expect(values).toEqual(places.map(({ elevation_m }) => elevation_m));
  expect(new Set(values).size).toBeGreaterThan(10);
});

test('a raster that lacks the west: refused, then filled from the nearest cells', async () => {
  const lacking = (gaps: Source['gaps']) => async () =>
    covariatesOf((country) => {
      heightCovariate({}, { gaps, nodata: -1 })(country);
      country.sources.at(-1)!.files = [{ path: 'west.tif' }];
      raster('west.tif', (i) => (i % grid.columns < 2 ? -1 : 100 + (i % grid.columns)))(country);
    });
  await expect(lacking([])()).rejects.toThrow(/west\.tif, NG001001 at 3\.\d+.*found no valid cell where people live/);
  const { places, values, report } = await lacking([{ rule: 'nearest', km: 20, reason: 'border' }])();
  const west = places.flatMap(({ longitude }, c) => (longitude < 3.1 ? [values[c]!] : []));
  expect(west.length).toBeGreaterThan(0);
  expect(Math.min(...west)).toBeGreaterThanOrEqual(102);
  expect(report.some(({ source, rule }) => source === 'height' && rule === 'nearest')).toBe(true);
});

test('a raster outside its range, or with a value that stands for missing ones, is refused as any other', async () => {
  await expect(covariatesOf(heightCovariate({}, { range: [0, 120] }))).rejects.toThrow('height.tif');
});

test('several rasters are their mean where all have a value, whatever the grid of each', async () => {
  const coarse = { west: 3, north: 5, step: 0.5, columns: 8, rows: 2 };
  const { places, values } = await covariatesOf((country) => {
    heightCovariate(
      { time: 'mean' },
      {
        files: [{ path: 'height.tif' }, { path: 'coarse.tif' }],
        gaps: [{ rule: 'value', value: 7, reason: 'east' }],
      },
    )(country);
    raster('coarse.tif', (i) => (i % 8 === 7 ? -9999 : 200), coarse)(country);
  });
  places.forEach(({ longitude, elevation_m }, c) => {
    expect(values[c]).toBeCloseTo(longitude > 6.5 ? 7 : (elevation_m! + 200) / 2, 9);
  });
});
