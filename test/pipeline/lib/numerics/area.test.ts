import { expect, test } from 'vitest';
import { areaKm2, cellAreaKm2 } from '../../../../pipeline/lib/numerics/area.ts';

test('the ellipsoid has 510,065,622 km² (Moritz 2000, GRS 80)', () => {
  expect(cellAreaKm2(-180, -90, 180, 90)).toBeCloseTo(510065621.7, 0);
});

test('a cell has the same area as a polygon', () => {
  const ring: [number, number][] = [
    [8, 9],
    [9, 9],
    [9, 10],
    [8, 10],
    [8, 9],
  ];
  expect(areaKm2([[ring]])).toBeCloseTo(cellAreaKm2(8, 9, 9, 10), 6);
});

test('a small square has the area given by the radii of curvature at 9°, not that of the sphere (111.2 m per 0.001°)', () => {
  // M = a(1 − e²)/(1 − e² sin²φ)^1.5 and N = a/√(1 − e² sin²φ) at φ = 9°, km; a cell of 0.001° a side.
  const [a, e2, rad] = [6378.137, 0.00669437999014, Math.PI / 180];
  const s2 = Math.sin(9 * rad) ** 2;
  const m = (a * (1 - e2)) / (1 - e2 * s2) ** 1.5;
  const n = a / Math.sqrt(1 - e2 * s2);
  const expected = m * n * Math.cos(9 * rad) * (0.001 * rad) ** 2;
  expect(cellAreaKm2(8, 8.9995, 8.001, 9.0005) / expected).toBeCloseTo(1, 9);
});

test('holes are subtracted and parts added', () => {
  const square = (x: number, y: number, side: number): [number, number][] => [
    [x, y],
    [x + side, y],
    [x + side, y + side],
    [x, y + side],
    [x, y],
  ];
  const whole = areaKm2([[square(5, 5, 2)]]);
  const hole = areaKm2([[square(5.5, 5.5, 0.5)]]);
  expect(areaKm2([[square(5, 5, 2), square(5.5, 5.5, 0.5).reverse()]])).toBeCloseTo(whole - hole, 6);
  expect(areaKm2([[square(5, 5, 2)], [square(9, 9, 1)]])).toBeCloseTo(whole + areaKm2([[square(9, 9, 1)]]), 6);
});
