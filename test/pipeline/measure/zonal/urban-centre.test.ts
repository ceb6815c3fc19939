import { describe, expect, test } from 'vitest';
import { gridCellAreaKm2 } from '../../../../pipeline/lib/numerics/area.ts';
import type { Grid } from '../../../../pipeline/lib/numerics/grid.ts';
import { createUrbanCentreFinder, DEGURBA, markCentres } from '../../../../pipeline/measure/zonal/urban-centre.ts';

/** Cells of 1/120°, about 0.86 km² near the equator. */
const GRID: Grid = { west: 7, north: 9, cellWidth: 1 / 120, cellHeight: 1 / 120, columns: 5, rows: 5 };
const WINDOW = { row: 0, column: 0, rows: 5, columns: 5 };

/** Finds the centres in a grid of persons, adding the rows in two parts. */
function mark(persons: number[], rule = DEGURBA) {
  const finder = createUrbanCentreFinder(GRID, rule);
  finder.add(0, Float64Array.from(persons.slice(0, 10)));
  finder.add(2, Float64Array.from(persons.slice(10)));
  const centres = finder.finish();
  return { count: centres.count, marks: [...markCentres(centres, WINDOW)], centres };
}

describe('urban centres', () => {
  // biome-ignore format: laid out as on the map
  test('dense cells are connected by sides, not by corners, and form a centre if they have enough people', () => {
    const { count, marks } = mark([
      20_000, 0,      0,      0,      30_000,
      20_000, 0,      0,      30_000, 0,
      20_000, 0,      2000,   0,      0,
      2000,   2000,   2000,   0,      0,
      0,      0,      0,      0,      60_000,
    ]);
    expect(count).toBe(2);
    expect(marks).toEqual([
      1, 0, 0, 0, 0,
      1, 0, 0, 0, 0,
      1, 0, 1, 0, 0,
      1, 1, 1, 0, 0,
      0, 0, 0, 0, 1,
    ]);
  });

  // biome-ignore format: laid out as on the map
  test('arms that meet farther south are one centre', () => {
    const { count, marks } = mark([
      9000, 0, 9000, 0, 9000,
      9000, 0, 9000, 0, 9000,
      9000, 9000, 9000, 9000, 9000,
      0, 0, 0, 0, 0,
      0, 0, 0, 0, 0,
    ]);
    expect(count).toBe(1);
    expect(marks.reduce((a, b) => a + b)).toBe(11);
  });

  test('both thresholds are inclusive; missing cells are not dense', () => {
    const area = gridCellAreaKm2(GRID, 0);
    const persons = Array(25).fill(Number.NaN);
    persons[0] = 1500 * area;
    persons[1] = 50_000 - persons[0];
    expect(mark(persons).marks.slice(0, 3)).toEqual([1, 1, 0]);
    persons[0] -= 1e-6;
    persons[1] += 1e-6;
    expect(mark(persons).marks.slice(0, 3)).toEqual([0, 0, 0]);
    expect(mark([49_999.9, ...Array(24).fill(0)]).count).toBe(0);
    expect(mark([50_000, ...Array(24).fill(0)]).count).toBe(1);
  });

  test('marks can be read for a window', () => {
    const { centres } = mark([0, 60_000, 60_000, 60_000, 0, ...Array(20).fill(0)]);
    expect([...markCentres(centres, { row: 0, column: 2, rows: 2, columns: 3 })]).toEqual([1, 1, 0, 0, 0, 0]);
  });

  test('rows must be added in order', () => {
    expect(() => createUrbanCentreFinder(GRID).add(1, new Float64Array(5))).toThrow('row 1');
  });
});
