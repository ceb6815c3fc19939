import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Source } from '../../../../pipeline/catalog/sources.ts';
import { worded } from '../../../../pipeline/contract/words.ts';
import type { Areas, Polygons } from '../../../../pipeline/ingest/ingest-tables.ts';
import { openRaster } from '../../../../pipeline/ingest/readers/geotiff.ts';
import { identifyFeatures, readPolygons } from '../../../../pipeline/ingest/readers/polygons.ts';
import type { Polygon } from '../../../../pipeline/lib/numerics/area.ts';
import type { Grid } from '../../../../pipeline/lib/numerics/grid.ts';
import { toTable } from '../../../../pipeline/lib/tables/table.ts';
import { createUrbanCentreFinder, markCentres } from '../../../../pipeline/measure/zonal/urban-centre.ts';
import { measureZones, type ZonalInput } from '../../../../pipeline/measure/zonal/zonal-stage.ts';
import type { PredictionCell, PredictionCells } from '../../../../pipeline/measure/zonal/zonal-tables.ts';
import { CELLS } from '../../../../pipeline/measure/zonal/zonal-tables.ts';
import { HAS_REAL_DATA, needsReal, REAL_CATALOG, REAL_DATA } from '../../../support/real-data.ts';
import { temporaryDirectory, writeRaster } from '../../rasters.ts';

function box(west: number, south: number, east: number, north: number): Polygon {
  return [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ];
}

/**
 * Two adjacent LGAs that meet at longitude 1.5, in the middle of a cell; the population raster has 3 × 2 cells of 1°.
 */
const AREAS: Areas = {
  states: [],
  lgas: [
    { lga_code: 'A', lga: 'West', state_code: 'X' },
    { lga_code: 'B', lga: 'East', state_code: 'X' },
  ],
};
const POLYGONS: Polygons = {
  lgas: [
    { lga_code: 'A', polygons: [box(0, 3, 1.5, 5)] },
    { lga_code: 'B', polygons: [box(1.5, 3, 2.5, 5)] },
  ],
  neighbours: { A: ['B'], B: ['A'] },
};
const PEOPLE = [
  [100, 40, 0],
  [300, 60, 8],
];

const source = (
  id: string,
  role: Source['role'],
  unit: string,
  files: Source['files'],
  more: Partial<Source> = {},
): Source => ({
  id,
  role,
  unit,
  files,
  title: id,
  producer: '',
  citation: '',
  licence: '',
  release: '',
  format: 'geotiff',
  ...more,
});

/** The two LGAs with rasters, some of which a test can change. */
function prepare(
  change: { people?: number[][]; layer?: number[][]; unit?: string; gaps?: Source['gaps'] } = {},
): ZonalInput {
  const rawData = temporaryDirectory();
  const at = (name: string) => join(rawData, name);
  writeRaster(at('people.tif'), change.people ?? PEOPLE);
  // Half the cell size, without values in the western half of the population's last column.
  writeRaster(
    at('height.tif'),
    [
      [10, 10, 20, 20, -9999],
      [10, 10, 20, 20, -9999],
      [30, 30, 40, 40, -9999],
      [30, 30, 40, 40, -9999],
    ],
    { cell: 0.5, nodata: '-9999' },
  );
  writeRaster(
    at('layer.tif'),
    change.layer ?? [
      [0.5, 0.25, 1],
      [0.75, Number.NaN, 0],
    ],
  );
  const gaps = change.gaps === undefined ? {} : { gaps: change.gaps };
  return {
    areas: AREAS,
    polygons: POLYGONS,
    rawData,
    sources: [
      source('population', 'population', 'persons', [{ path: 'people.tif' }]),
      source('elevation', 'elevation', 'm', [{ path: 'height.tif' }]),
      source('treated', 'layer', change.unit ?? 'share', [{ path: 'layer.tif' }], {
        figure: 'effective_treatment',
        ...gaps,
      }),
    ],
  };
}

const columnsOf = (cells: PredictionCell[]) => toTable(CELLS, cells).columns as unknown as PredictionCells;

describe('figures by hand', () => {
  test('population, elevation and a population-weighted layer', async () => {
    const { lgas, climate } = await measureZones(prepare());
    const west = 100 + 0.5 * 40 + 300 + 0.5 * 60;
    const east = 0.5 * 40 + 0.5 * 60 + 0.5 * 8;
    expect(lgas.map((row) => row.population)).toEqual([west, east]);
    // West covers three columns of half-size cells; east covers one with values and one without.
    expect(lgas.map((row) => row.elevation_m)).toEqual([(10 + 10 + 20 + 30 + 30 + 40) / 6, (20 + 40) / 2]);
    expect(lgas.map((row) => row.effective_treatment)).toEqual([
      (100 * 0.5 + 20 * 0.25 + 300 * 0.75) / (100 + 20 + 300),
      (20 * 0.25 + 0 * 1 + 4 * 0) / (20 + 4),
    ]);
    expect(climate).toEqual([]);
  });

  test('percentages are converted to shares', async () => {
    const { lgas } = await measureZones(
      prepare({
        unit: 'percent',
        layer: [
          [50, 50, 50],
          [50, 50, 50],
        ],
      }),
    );
    expect(lgas.map((row) => row.effective_treatment)).toEqual([0.5, 0.5]);
  });

  test('people outside all LGAs are reported, with a lagoon if the catalog declares one', async () => {
    const input = prepare({
      people: [
        [100, 40, 0, 7],
        [300, 60, 8, 0],
      ],
    });
    const finding = (where: string) => ({
      source: 'population',
      rule: 'uncovered',
      what: worded`${11} of ${515} people are in no {lga.one} (${where}coast, borders); ${1} of ${6} cells with people do not meet any {lga.one}`,
    });
    expect((await measureZones(input)).report).toContainEqual(finding(''));
    const gaps: Source['gaps'] = [{ rule: 'uncovered', state_pcode: 'X', area_km2: 1, reason: 'a lagoon' }];
    const outlines = source('states', 'state_boundaries', 'degrees', [], { format: 'geojson', gaps });
    expect((await measureZones({ ...input, sources: [...input.sources, outlines] })).report).toContainEqual(
      finding('lagoon, '),
    );
  });

  test('people in urban centres, and prediction cells', async () => {
    // 111 km cells need 1,500 × 12,300 people.
    const { lgas, report, ...out } = await measureZones(
      prepare({
        people: [
          [4e6, 40, 0],
          [300, 8e6, 8e6],
        ],
      }),
    );
    const cells = columnsOf(out.cells);
    expect(lgas.map((row) => row.urban_population)).toEqual([0, 0]);
    expect(cells.lga_code).toEqual(['A', 'A', 'A', 'A', 'B', 'B', 'B']);
    expect(cells.population).toEqual([4e6, 20, 300, 4e6, 20, 4e6, 4e6]);
    expect(cells.longitude).toEqual([0.5, 1.5, 0.5, 1.5, 1.5, 1.5, 2.5]);
    expect(cells.latitude).toEqual([4.5, 4.5, 3.5, 3.5, 4.5, 3.5, 3.5]);
    // The centre of a cell is at the corner of four half-size cells: the south-eastern one is used.
    expect(cells.elevation_m).toEqual([10, 20, 30, 40, 20, 40, null]);
    expect(cells.population_density[0]).toBeCloseTo(4e6 / (111.3 * 110.6), -1);
    expect(cells.urban_share).toEqual(Array(7).fill(0));
    expect(report.map(({ rule }) => rule)).not.toContain('urban centres');
  });

  test('small cells are pooled to about 5 km, split by LGA', async () => {
    const rawData = temporaryDirectory();
    // Ten by ten cells of 1/100°, with a dense corner of 3 × 3.
    const people = Array.from({ length: 10 }, (_, r) =>
      Array.from({ length: 10 }, (_, c) => (r < 3 && c < 3 ? 6000 : 10)),
    );
    writeRaster(join(rawData, 'people.tif'), people, { cell: 0.01 });
    const { lgas, ...out } = await measureZones({
      areas: { states: [], lgas: AREAS.lgas.slice(0, 1) },
      polygons: { lgas: [{ lga_code: 'A', polygons: [box(0, 4.9, 0.1, 5)] }], neighbours: {} },
      rawData,
      sources: [source('population', 'population', 'persons', [{ path: 'people.tif' }])],
    });
    const cells = columnsOf(out.cells);
    const total = 9 * 6000 + 91 * 10;
    expect(lgas[0]).toMatchObject({ elevation_m: null, itn_use: null });
    expect(lgas[0]!.population).toBeCloseTo(total, 6);
    expect(lgas[0]!.urban_population).toBeCloseTo(9 * 6000, 6);
    // Blocks of 4 × 4 cells (4.4 km): 3 across, the last one with 2 columns.
    expect(cells.population).toHaveLength(9);
    expect(cells.population.reduce((a, b) => a + b)).toBeCloseTo(total, 6);
    expect(cells.population[0]).toBeCloseTo(9 * 6000 + 7 * 10, 6);
    expect(cells.urban_share[0]).toBeCloseTo((9 * 6000) / (9 * 6000 + 70), 9);
    expect(cells.urban_share.slice(1)).toEqual(Array(8).fill(0));
    const dense = (9 * 6000 * 0.015 + 10 * (0.035 * 4 + 0.005 + 0.015 + 0.025)) / (9 * 6000 + 70);
    expect(cells.longitude[0]).toBeCloseTo(dense, 9);
  });
});

describe('rain by month', () => {
  function withRain(months: Record<string, number[][]>, gaps?: Source['gaps']): ZonalInput {
    const input = prepare();
    const files = Object.entries(months).map(([period, rows]) => {
      const path = `rain.${period}.tif`;
      // One row of cells of 2°, which covers both rows of the population raster.
      writeRaster(join(input.rawData, path), rows, { cell: 2, nodata: '-9999' });
      return { path, period };
    });
    const rain = source('rain', 'climate', 'mm per month', files, gaps === undefined ? {} : { gaps });
    return { ...input, sources: [...input.sources, rain] };
  }

  test('is weighted by population, with months in order', async () => {
    const { climate } = await measureZones(withRain({ '2020-01': [[50, 80]], '2019-12': [[10, 20]] }));
    expect(climate.map(({ lga_code, period }) => `${lga_code} ${period}`)).toEqual([
      'A 2019-12',
      'A 2020-01',
      'B 2019-12',
      'B 2020-01',
    ]);
    expect(climate.slice(0, 2).map(({ rain_mm }) => rain_mm)).toEqual([10, 50]);
    expect(climate[2]!.rain_mm).toBeCloseTo((50 * 10 + 4 * 20) / 54, 12);
    expect(climate[3]!.rain_mm).toBeCloseTo((50 * 50 + 4 * 80) / 54, 12);
  });

  test('missing values are ignored; an LGA without any value needs a declared gap', async () => {
    const partly = await measureZones(withRain({ '2020-01': [[50, -9999]] }));
    expect(partly.climate[1]).toMatchObject({ lga_code: 'B', rain_mm: 50 });
    await expect(measureZones(withRain({ '2020-01': [[-9999, 80]] }))).rejects.toThrow(
      'A: found no cell with rain in 2020-01',
    );
    const filled = await measureZones(
      withRain({ '2020-01': [[-9999, 80]] }, [{ rule: 'neighbours', lga_pcode: 'A', reason: 'test' }]),
    );
    expect(filled.climate[0]).toMatchObject({ lga_code: 'A', rain_mm: 80 });
  });

  test('missing months, different grids and impossible values are refused', async () => {
    await expect(measureZones(withRain({ '2019-11': [[1, 2]], '2020-01': [[1, 2]] }))).rejects.toThrow(
      'no file for 2019-12',
    );
    await expect(measureZones(withRain({ '2019-12': [[1, 2]], '2020-01': [[1, 2, 3]] }))).rejects.toThrow(
      '3 × 1 cells',
    );
    await expect(measureZones(withRain({ '2019-12': [[1, -5]] }))).rejects.toThrow('found -5, expected 0 to 10000');
  });
});

describe('refuses', () => {
  const empty = [
    [Number.NaN, Number.NaN, 1],
    [Number.NaN, Number.NaN, 1],
  ];

  test('a figure missing for an LGA, unless the catalog declares it', async () => {
    await expect(measureZones(prepare({ layer: empty }))).rejects.toThrow('A: found no cell with effective_treatment');
    const unknown = await measureZones(
      prepare({ layer: empty, gaps: [{ rule: 'null', lga_pcode: 'A', reason: 'test' }] }),
    );
    expect(unknown.lgas.map((row) => row.effective_treatment)).toEqual([null, 1]);
    expect(unknown.report).toContainEqual({ source: 'treated', rule: 'null', what: 'A has no effective_treatment' });
  });

  test('percentages instead of shares, an untagged nodata value, a wrong unit', async () => {
    await expect(measureZones(prepare({ layer: [[50, 50, 50]] }))).rejects.toThrow('found 50, expected 0 to 1');
    await expect(measureZones(prepare({ people: [[100, -1, 3]] }))).rejects.toThrow('row 0, column 1');
    await expect(measureZones(prepare({ unit: 'minutes' }))).rejects.toThrow(
      'found the unit minutes, expected share or percent',
    );
  });

  test('an LGA partly or entirely outside the raster, or without people', async () => {
    const input = prepare();
    const moved = (polygons: Polygon[]) => ({
      ...input,
      polygons: { ...POLYGONS, lgas: [POLYGONS.lgas[0]!, { lga_code: 'B', polygons }] },
    });
    await expect(measureZones(moved([box(20, 3, 21, 5)]))).rejects.toThrow(
      'B East: found 0.0% of the area inside the raster',
    );
    await expect(measureZones(moved([box(2, 3, 4, 5)]))).rejects.toThrow(
      'B East: found 50.0% of the area inside the raster',
    );
    await expect(measureZones(moved([box(2, 4, 3, 5)]))).rejects.toThrow('B East: found no people');
  });
});

describe('real rasters', () => {
  const title = 'urban LGAs: 211 if cells are assigned by their centres, 212 with exact shares';
  test.skipIf(!HAS_REAL_DATA)(needsReal(title), async () => {
    const catalog = JSON.parse(readFileSync(join(REAL_CATALOG, 'sources.json'), 'utf8')) as { sources: Source[] };
    const file = join(REAL_DATA, 'boundaries/nga_admbnda_adm2_osgof_20190417.shp');
    const features = await readPolygons(file);
    const lgas = identifyFeatures(features, 'ADM2_PCODE', file)
      .map((lga_code, i) => ({ lga_code, polygons: features[i]!.polygons }))
      .sort((a, b) => (a.lga_code < b.lga_code ? -1 : 1));
    const result = await measureZones({
      areas: { states: [], lgas: lgas.map(({ lga_code }) => ({ lga_code, lga: '', state_code: '' })) },
      polygons: { lgas, neighbours: {} },
      sources: catalog.sources,
      rawData: REAL_DATA,
    });
    expect(result.lgas.filter((row) => row.urban_population > row.population / 2)).toHaveLength(212);
    expect(result.lgas.reduce((sum, row) => sum + Math.round(row.population), 0)).toBe(216_371_857);
    const pooled = result.cells.reduce((sum, cell) => sum + cell.population, 0);
    expect(pooled / result.lgas.reduce((sum, row) => sum + row.population, 0)).toBeCloseTo(1, 11);

    const raster = await openRaster(join(REAL_DATA, 'population/nga_pop_v2_1_1km.tif'));
    const { grid } = raster;
    const window = { row: 0, column: 0, rows: grid.rows, columns: grid.columns };
    const persons = await raster.readWindow(window);
    await raster.close();
    const finder = createUrbanCentreFinder(grid);
    finder.add(0, persons);
    const urban = markCentres(finder.finish(), window);
    const byCentre = lgas.filter(({ polygons }) => {
      let [inCentres, all] = [0, 0];
      for (const cell of cellsByCentre(polygons, grid)) {
        all += persons[cell]!;
        inCentres += urban[cell]! * persons[cell]!;
      }
      return inCentres > all / 2;
    });
    expect(byCentre).toHaveLength(211);
  });
});

/** Cells whose centre is inside the polygons, from the crossings of each row's middle line. */
function cellsByCentre(polygons: Polygon[], grid: Grid): number[] {
  const crossings = new Map<number, number[]>();
  for (const ring of polygons.flat()) {
    ring.slice(1).forEach(([x1, y1], i) => {
      const [x0, y0] = ring[i]!;
      const rowOf = (latitude: number) => (grid.north - latitude) / grid.cellHeight - 0.5;
      const [from, to] = [rowOf(Math.max(y0, y1)), rowOf(Math.min(y0, y1))];
      for (let row = Math.ceil(from); row < to; row++) {
        const latitude = grid.north - (row + 0.5) * grid.cellHeight;
        const longitude = x0 + ((latitude - y0) / (y1 - y0)) * (x1 - x0);
        const column = (longitude - grid.west) / grid.cellWidth - 0.5;
        crossings.set(row, [...(crossings.get(row) ?? []), column]);
      }
    });
  }
  const cells: number[] = [];
  for (const [row, columns] of crossings) {
    columns.sort((a, b) => a - b);
    for (let i = 0; i + 1 < columns.length; i += 2) {
      for (let column = Math.ceil(columns[i]!); column < columns[i + 1]!; column++)
        cells.push(row * grid.columns + column);
    }
  }
  return cells;
}
