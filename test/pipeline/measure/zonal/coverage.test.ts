import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Polygon } from '../../../../pipeline/lib/numerics/area.ts';
import type { Grid } from '../../../../pipeline/lib/numerics/grid.ts';
import { type Coverage, createCover } from '../../../../pipeline/measure/zonal/coverage.ts';
import { shareInside, toGridOutline } from '../../../../pipeline/measure/zonal/outline.ts';

type Ring = Polygon[number];

/** Five by five cells of 1°: the cell in row r, column c spans longitudes c to c + 1 and latitudes 4 − r to 5 − r. */
const GRID: Grid = { west: 0, north: 5, cellWidth: 1, cellHeight: 1, columns: 5, rows: 5 };

function unfold(coverage: Coverage, grid: Grid, into = matrix(grid)): number[][] {
  for (let i = 0; i + 1 < coverage.rowStart.length; i++) {
    for (let k = coverage.rowStart[i]!; k < coverage.rowStart[i + 1]!; k++) {
      const start = coverage.column[k]!;
      for (let c = start; c < start + coverage.length[k]!; c++) into[coverage.firstRow + i]![c]! += coverage.share[k]!;
    }
  }
  return into;
}

function matrix(grid: Grid): number[][] {
  return Array.from({ length: grid.rows }, () => new Array(grid.columns).fill(0));
}

function shares(polygons: Polygon[], grid = GRID): number[][] {
  return unfold(createCover(grid.columns)(toGridOutline(polygons, grid), 0, grid.rows), grid);
}

function box(west: number, south: number, east: number, north: number): Ring {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

/** Signed area of a ring clipped to a box (Sutherland and Hodgman 1974), which is exact for concave rings too. */
function clippedArea(ring: Ring, [west, south, east, north]: [number, number, number, number]): number {
  const sides: [number, number, number][] = [
    [1, 0, west],
    [-1, 0, -east],
    [0, 1, south],
    [0, -1, -north],
  ];
  let points: Ring = ring.slice(0, -1);
  for (const [a, b, d] of sides) {
    const depth = ([x, y]: [number, number]) => a * x + b * y - d;
    points = points.flatMap((p, i): Ring => {
      const q = points[(i + 1) % points.length]!;
      const [inP, inQ] = [depth(p), depth(q)];
      const t = inP / (inP - inQ);
      const cut: [number, number] = [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
      if (inP >= 0) return inQ >= 0 ? [p] : [p, cut];
      return inQ >= 0 ? [cut] : [];
    });
  }
  return points.reduce((sum, [x, y], i) => {
    const [u, v] = points[(i + 1) % points.length]!;
    return sum + (x * v - u * y) / 2;
  }, 0);
}

/** Brute force: clips to every cell, and subtracts holes. */
function clippedShares(polygons: Polygon[], grid: Grid): number[][] {
  return matrix(grid).map((row, r) =>
    row.map((_, c) => {
      const north = grid.north - r * grid.cellHeight;
      const west = grid.west + c * grid.cellWidth;
      const cell: [number, number, number, number] = [west, north - grid.cellHeight, west + grid.cellWidth, north];
      const area = polygons
        .flatMap((rings) => rings.map((ring, i) => (i === 0 ? 1 : -1) * Math.abs(clippedArea(ring, cell))))
        .reduce((a, b) => a + b, 0);
      return area / (grid.cellWidth * grid.cellHeight);
    }),
  );
}

function expectClose(found: number[][], expected: number[][], tolerance: number) {
  found.forEach((row, r) => {
    row.forEach((share, c) => {
      if (!(Math.abs(share - expected[r]![c]!) <= tolerance)) {
        throw new Error(`row ${r}, column ${c}: found ${share}, expected ${expected[r]![c]}`);
      }
    });
  });
}

describe('shares by hand', () => {
  test('a box with edges in the middle of cells', () => {
    expect(shares([[box(0.5, 1.5, 3.5, 4.5)]])).toEqual([
      [0.25, 0.5, 0.5, 0.25, 0],
      [0.5, 1, 1, 0.5, 0],
      [0.5, 1, 1, 0.5, 0],
      [0.25, 0.5, 0.5, 0.25, 0],
      [0, 0, 0, 0, 0],
    ]);
  });

  test('a box with edges along cell borders covers complete cells', () => {
    expect(shares([[box(1, 1, 4, 3)]])).toEqual([
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
      [0, 1, 1, 1, 0],
      [0, 1, 1, 1, 0],
      [0, 0, 0, 0, 0],
    ]);
  });

  test('a diagonal halves the cells that it crosses', () => {
    const triangle: Ring = [
      [0, 0],
      [5, 0],
      [0, 5],
      [0, 0],
    ];
    expect(shares([[triangle]])).toEqual([
      [0.5, 0, 0, 0, 0],
      [1, 0.5, 0, 0, 0],
      [1, 1, 0.5, 0, 0],
      [1, 1, 1, 0.5, 0],
      [1, 1, 1, 1, 0.5],
    ]);
  });

  test('a hole is subtracted, whatever the direction of its ring', () => {
    const hole = box(1.5, 1.5, 3.5, 3.5);
    const expected = [
      [1, 1, 1, 1, 1],
      [1, 0.75, 0.5, 0.75, 1],
      [1, 0.5, 0, 0.5, 1],
      [1, 0.75, 0.5, 0.75, 1],
      [1, 1, 1, 1, 1],
    ];
    expect(shares([[box(0, 0, 5, 5), hole]])).toEqual(expected);
    expect(shares([[box(0, 0, 5, 5).reverse(), hole]])).toEqual(expected);
    expect(shares([[box(0, 0, 5, 5), hole.toReversed()]])).toEqual(expected);
  });

  test('a sliver within a cell; a multipolygon with a part inside the hole of another', () => {
    expect(shares([[box(2.25, 2.5, 2.5, 2.625)]])[2]).toEqual([0, 0, 0.25 * 0.125, 0, 0]);
    expect(shares([[box(0, 0, 5, 5), box(1, 1, 4, 4)], [box(2, 2, 3, 3)]])).toEqual([
      [1, 1, 1, 1, 1],
      [1, 0, 0, 0, 1],
      [1, 0, 1, 0, 1],
      [1, 0, 0, 0, 1],
      [1, 1, 1, 1, 1],
    ]);
  });

  test('parts outside the raster are cut off on every side', () => {
    expect(shares([[box(-9, -9, 99, 99)]])).toEqual(Array(5).fill([1, 1, 1, 1, 1]));
    expect(shares([[box(-2, 4.5, 2.5, 7)]])[0]).toEqual([0.5, 0.5, 0.25, 0, 0]);
    expect(shares([[box(3.5, -3, 8, 0.25)]])[4]).toEqual([0, 0, 0, 0.125, 0.25]);
    for (const away of [box(-3, 1, -1, 2), box(6, 1, 7, 2), box(1, 6, 2, 7), box(1, -3, 2, -1)]) {
      expect(shares([[away]]).flat()).toEqual(Array(25).fill(0));
    }
    // A diamond around the grid's north-west corner, with an edge that crosses both borders.
    const diamond: Ring = [
      [0, 7],
      [-2, 5],
      [0, 3],
      [2, 5],
      [0, 7],
    ];
    expect(shares([[diamond]]).slice(0, 2)).toEqual([
      [1, 0.5, 0, 0, 0],
      [0.5, 0, 0, 0, 0],
    ]);
  });

  test('a ring that touches itself at a point', () => {
    // A box with a hole at its corner, as a single ring.
    const ring: Ring = [
      [1, 1],
      [4, 1],
      [4, 4],
      [1, 4],
      [1, 1],
      [2, 3],
      [3, 3],
      [3, 2],
      [1, 1],
    ];
    const hole = 1 + 0.5 + 0.5;
    const found = shares([[ring]]);
    expect(found[2]).toEqual([0, expect.closeTo(0.75, 14), 0, 1, 0]);
    expect(found.flat().reduce((a, b) => a + b)).toBeCloseTo(9 - hole, 13);
  });

  test('adjacent full cells form one span', () => {
    const coverage = createCover(5)(toGridOutline([[box(0.5, 2, 4, 3)]], GRID), 0, 5);
    expect([...coverage.column]).toEqual([0, 1]);
    expect([...coverage.length]).toEqual([1, 3]);
    expect([...coverage.share]).toEqual([0.5, 1]);
  });
});

/** Star-shaped rings: vertices at increasing angles around a centre, so that they never cross themselves. */
const star = fc
  .record({
    x: fc.double({ min: -1, max: 6, noNaN: true }),
    y: fc.double({ min: -1, max: 6, noNaN: true }),
    radii: fc.array(fc.double({ min: 0.05, max: 3, noNaN: true }), { minLength: 3, maxLength: 24 }),
  })
  .map(({ x, y, radii }) => {
    const points = radii.map((radius, i): [number, number] => {
      const angle = (2 * Math.PI * i) / radii.length;
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    });
    const ring: Ring = [...points, points[0]!];
    return { centre: [x, y] as const, ring };
  });

describe('shares equal those from clipping cell by cell', () => {
  const grid: Grid = { west: -0.4, north: 5.3, cellWidth: 0.7, cellHeight: 0.45, columns: 8, rows: 12 };

  test('random rings with a hole of the same shape', () => {
    fc.assert(
      fc.property(star, fc.double({ min: 0.1, max: 0.9, noNaN: true }), ({ centre: [x, y], ring }, scale) => {
        const hole = ring.map(([a, b]): [number, number] => [x + scale * (a - x), y + scale * (b - y)]);
        const polygons = [[ring, hole]];
        expectClose(shares(polygons, grid), clippedShares(polygons, grid), 1e-12);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test('convex rings with vertices at the corners of cells', () => {
    const corner = fc.tuple(fc.integer({ min: -1, max: 6 }), fc.integer({ min: -1, max: 6 }));
    fc.assert(
      fc.property(fc.tuple(corner, corner, corner), ([a, b, c]) => {
        const polygons: Polygon[] = [[[a, b, c, a]]];
        expectClose(shares(polygons), clippedShares(polygons, GRID), 1e-12);
      }),
      { seed: 2, numRuns: 500 },
    );
  });
});

describe('neighbours', () => {
  /** A tiling of the grid and its surroundings: quadrilaterals over a lattice of shifted points. */
  function tiling(shifts: number[], lattice: number): Polygon[] {
    const at = (i: number, j: number): [number, number] => {
      const k = (i * (lattice + 1) + j) * 2;
      const inner = i > 0 && j > 0 && i < lattice && j < lattice;
      const step = 7 / lattice;
      const shift = (n: number) => (inner ? (shifts[n % shifts.length]! - 0.5) * 0.6 * step : 0);
      return [-1 + i * step + shift(k), -1 + j * step + shift(k + 1)];
    };
    return Array.from({ length: lattice * lattice }, (_, n) => {
      const [i, j] = [Math.floor(n / lattice), n % lattice];
      return [[at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1), at(i, j)]];
    });
  }

  test('shares of a tiling sum to 1 in every cell', () => {
    const grid: Grid = { west: 0, north: 5, cellWidth: 0.05, cellHeight: 0.08, columns: 100, rows: 62 };
    const cover = createCover(grid.columns);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 60, maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        (shifts, lattice) => {
          const sum = matrix(grid);
          for (const polygon of tiling(shifts, lattice)) {
            unfold(cover(toGridOutline([polygon], grid), 0, grid.rows), grid, sum);
          }
          expectClose(
            sum,
            sum.map((row) => row.map(() => 1)),
            1e-12,
          );
        },
      ),
      { seed: 3, numRuns: 40 },
    );
  });

  test('shares computed for parts of the rows equal those for all rows', () => {
    fc.assert(
      fc.property(star, fc.integer({ min: 1, max: 4 }), ({ ring }, cut) => {
        const outline = toGridOutline([[ring]], GRID);
        const cover = createCover(5);
        const parts = unfold(cover(outline, cut, 5), GRID, unfold(cover(outline, 0, cut), GRID));
        expect(parts).toEqual(unfold(cover(outline, 0, 5), GRID));
      }),
      { seed: 4, numRuns: 200 },
    );
  });

  test('the share of an outline inside the grid is that of its shares', () => {
    fc.assert(
      fc.property(star, ({ ring }) => {
        const all = shares([[ring]]).flat();
        const inside = shareInside([[ring]], GRID);
        expect(inside).toBeCloseTo(all.reduce((a, b) => a + b) / toGridOutline([[ring]], GRID).area, 9);
      }),
      { seed: 5, numRuns: 200 },
    );
    expect(shareInside([[box(1, 1, 4, 3), box(2, 1, 3, 2)]], GRID)).toBe(1);
    expect(shareInside([[box(-2, 1, 2, 3), box(-1, 1, 1, 2)]], GRID)).toBe(0.5);
    expect(shareInside([[box(-2, 1, -1, 3)], [box(9, 1, 10, 2)]], GRID)).toBe(0);
  });

  test('the shares of an outline within the grid sum to its area', () => {
    const outline = toGridOutline([[box(0.3, 0.7, 4.1, 3.3), box(1.2, 1.1, 2.9, 2.2)]], GRID);
    expect(outline.area).toBeCloseTo(3.8 * 2.6 - 1.7 * 1.1, 12);
    const all = shares([[box(0.3, 0.7, 4.1, 3.3), box(1.2, 1.1, 2.9, 2.2)]]).flat();
    expect(all.reduce((a, b) => a + b)).toBeCloseTo(outline.area, 12);
  });
});
