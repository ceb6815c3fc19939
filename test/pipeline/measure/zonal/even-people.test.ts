import { expect, test } from 'vitest';
import { areaKm2, gridCellAreaKm2 } from '../../../../pipeline/lib/numerics/area.ts';
import { createCover } from '../../../../pipeline/measure/zonal/coverage.ts';
import { spreadEvenly } from '../../../../pipeline/measure/zonal/even-people.ts';
import { toGridOutline } from '../../../../pipeline/measure/zonal/outline.ts';
import { addWindow, createSums, zonalStatistics } from '../../../../pipeline/measure/zonal/sums.ts';

/** Two areas with a slanting border inside cells, from 3 to 3.1° east and 40 to 40.1° north. */
const POLYGONS = [
  [3, 40, 3.04, 40, 3.063, 40.1, 3, 40.1],
  [3.04, 40, 3.1, 40, 3.1, 40.1, 3.063, 40.1],
].map((flat) => {
  const ring = [0, 2, 4, 6, 0].map((i): [number, number] => [flat[i]!, flat[i + 1]!]);
  return [[ring]];
});
const codes = ['A', 'B'];
const census = { A: { people: 1000, children_0_4: null }, B: { people: 70, children_0_4: null } };
const even = spreadEvenly(
  { states: [], lgas: codes.map((lga_code) => ({ lga_code, lga: lga_code, state_code: 'S' })) } as never,
  { lgas: POLYGONS.map((polygons, i) => ({ lga_code: codes[i]!, polygons })), neighbours: {} } as never,
  census,
  'census.csv',
);
const { grid } = even;
const window = { row: 0, column: 0, rows: grid.rows, columns: grid.columns };

test('the sum over an area is its census, at one density', () => {
  expect([grid.columns, grid.rows]).toEqual([12, 12]);
  POLYGONS.forEach((polygons, lga) => {
    const sums = createSums();
    const persons = even.personsInArea(lga, window);
    addWindow(sums, createCover(grid.columns)(toGridOutline(polygons, grid), 0, grid.rows), window, persons, null);
    expect(zonalStatistics(sums, false).sum).toBeCloseTo(Object.values(census)[lga]!.people, 9);
    const density = persons[0]! / gridCellAreaKm2(grid, 0);
    // Edges are straight in the grid's plane, and not on the ellipsoid of the other calculation.
    const ratio = (density * areaKm2(polygons)) / Object.values(census)[lga]!.people;
    expect(Math.abs(ratio - 1)).toBeLessThan(1e-4);
  });
});

test('a cell on a border has people of both areas, and no one is lost or counted twice', async () => {
  const persons = Array.from(await even.readWindow(window));
  expect(persons.reduce((sum, count) => sum + count, 0)).toBeCloseTo(1070, 9);
  const south = await even.readWindow({ ...window, row: 7, rows: 5 });
  expect(Array.from(south)).toEqual(persons.slice(7 * grid.columns));
});
