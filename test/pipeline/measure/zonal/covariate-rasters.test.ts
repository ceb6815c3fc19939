import { describe, expect, test } from 'vitest';
import type { Source } from '../../../../pipeline/catalog/sources.ts';
import type { ReportLine } from '../../../../pipeline/engine/stage.ts';
import { type Table, toRows } from '../../../../pipeline/lib/tables/table.ts';
import { fillCells } from '../../../../pipeline/measure/zonal/covariate-rasters.ts';
import type { PredictionCell } from '../../../../pipeline/measure/zonal/zonal-tables.ts';
import { GRID, LGAS } from '../../../support/tiny-country.ts';
import { addCovariate, heightCovariate } from '../../covariates.ts';
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

test('the mean of several rasters is used where all have a value, even if their grids differ', async () => {
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
  places.forEach(({ longitude, elevation_m }, country) => {
    expect(values[country]).toBeCloseTo(longitude > 6.5 ? 7 : (elevation_m! + 200) / 2, 9);
  });
});

describe('monthly rasters', () => {
  const MONTHS = ['2018-11', '2018-12', '2019-01'];
  /** Reads the country with monthly rasters of a covariate. */
  const months = (
    gaps: Source['gaps'] = [],
    value = (i: number, month: number) => 2 * (i % GRID.columns) * (month + 1),
  ) =>
    read((country) => {
      const files = MONTHS.map((period) => ({ path: `evi.${period}.tif`, period }));
      const form = { format: 'geotiff', crs: 'EPSG:4326', nodata: -1, range: [0, 1000] };
      addCovariate({ id: 'evi', ...form, files: files.toReversed(), gaps }, { time: 'each' })(country);
      files.forEach(({ path }, month) => void raster(path, (i) => value(i, month))(country));
    });
  type Dated = { covariate: string; lga_code: string; time: string; value: number };
  const datedOf = ({ rasters }: Awaited<ReturnType<typeof read>>) =>
    toRows<Dated>((rasters.dated_covariates as Table).columns);

  test('give population-weighted means by LGA and month', async () => {
    const all = await months();
    const places = toRows<PredictionCell>((all.rasters.cells as Table).columns);
    const found = datedOf(all);
    expect(found.map(({ time }) => time)).toEqual(LGAS.flatMap(() => MONTHS));
    expect(toRows((all.rasters.covariates as Table).columns)).toEqual([]);
    for (const { covariate, lga_code, time, value } of found) {
      expect(covariate).toBe('evi');
      // Elevation, which is pooled by prediction cell, is 100 m higher than the first month's values.
      const own = places.filter((cell) => cell.lga_code === lga_code);
      const people = own.reduce((sum, { population }) => sum + population, 0);
      const first =
        own.reduce((sum, { population, elevation_m }) => sum + population * (elevation_m! - 100), 0) / people;
      expect(value).toBeCloseTo(first * (MONTHS.indexOf(time) + 1), 9);
    }
  });

  test('without values in an LGA are refused, or filled by a declared gap, which is reported once', async () => {
    const west = (i: number, month: number) =>
      i % GRID.columns < GRID.columns / 4 && month > 0 ? -1 : i % GRID.columns;
    await expect(months([], west)).rejects.toThrow(
      /evi\.2019-01\.tif, NG001001: found no cell with a value in 2018-12/,
    );
    const lga_pcode = 'NG001001';
    for (const gap of [{ rule: 'neighbours' } as const, { rule: 'value', value: 7 } as const]) {
      const filled = await months([{ ...gap, lga_pcode, reason: 'clouds' }], west);
      const at = (code: string, time: string) =>
        datedOf(filled).find((row) => row.lga_code === code && row.time === time)!.value;
      expect(at(lga_pcode, '2018-11')).toBeLessThan(20);
      // NG001002 is the only LGA that shares an edge with it.
      const expected = gap.rule === 'value' ? 7 : at('NG001002', '2019-01');
      expect([at(lga_pcode, '2018-12'), at(lga_pcode, '2019-01')]).toEqual([expected, expected]);
      expect(filled.rasters.report.filter(({ source }) => source === 'evi')).toEqual([
        { source: 'evi', rule: gap.rule, what: 'NG001001: clouds' },
      ]);
    }
  });

  test('are refused if their grid differs from that of the first', async () => {
    const coarse = { west: 3, north: 5, step: 0.5, columns: 8, rows: 2 };
    const other = read((country) => {
      const files = MONTHS.map((period) => ({ path: `evi.${period}.tif`, period }));
      addCovariate(
        { id: 'evi', format: 'geotiff', crs: 'EPSG:4326', nodata: -1, range: [0, 1000], files },
        { time: 'each' },
      )(country);
      files.forEach(
        ({ path }, month) => void raster(path, (i) => i % GRID.columns, month === 2 ? coarse : GRID)(country),
      );
    });
    await expect(other).rejects.toThrow(/evi\.2019-01\.tif: found 8 × 2 cells.* expected the first file's 40 × 10/);
  });
});
