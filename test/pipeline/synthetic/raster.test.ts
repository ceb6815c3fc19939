import { expect, test } from 'vitest';
import type { Polygon } from '../../../pipeline/lib/numerics/area.ts';
import type { Grid } from '../../../pipeline/synthetic/geotiff-writer.ts';
import { cellArea, cellCentre, rasteriseAreas } from '../../../pipeline/synthetic/raster.ts';

const grid: Grid = { west: 0, north: 4, step: 1, columns: 4, rows: 4 };
const box = (x0: number, y0: number, x1: number, y1: number): Polygon => [
  [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
    [x0, y0],
  ],
];

test('cells belong to the area that contains their centre; a centre on a shared edge to one of the two', () => {
  const areas = [{ polygons: [box(0, 0, 1.5, 4)] }, { polygons: [box(1.5, 0, 3, 2.5)] }];
  expect([...rasteriseAreas(grid, areas)]).toEqual(
    [
      [0, -1, -1, -1],
      [0, -1, -1, -1],
      [0, 1, 1, -1],
      [0, 1, 1, -1],
    ].flat(),
  );
});

test('holes are not filled', () => {
  const ring: Polygon = [...box(0, 0, 4, 4), [...box(1, 1, 3, 3)[0]!].reverse()];
  const burned = rasteriseAreas(grid, [{ polygons: [ring] }]);
  expect([...burned].filter((area) => area === 0)).toHaveLength(12);
  expect(burned[5]).toBe(-1);
});

test('cell centres are numbered from the north-west', () => {
  expect(cellCentre(grid, 0)).toEqual([0.5, 3.5]);
  expect(cellCentre(grid, 7)).toEqual([3.5, 2.5]);
});

test('the areas of all cells of the globe add up to 4πR²', () => {
  const globe: Grid = { west: -180, north: 90, step: 10, columns: 36, rows: 18 };
  let total = 0;
  for (let row = 0; row < globe.rows; row++) total += globe.columns * cellArea(globe, row);
  expect(total).toBeCloseTo(4 * Math.PI * 6371.0088 ** 2, 3);
});
