import { expect, test } from 'vitest';
import { divideIntoRegions } from '../../../pipeline/synthetic/regions.ts';

/** A square of `n` × `n` points, each connected to those beside, above and below it. */
function square(side: number) {
  const points = Array.from({ length: side * side }, (_, i) => ({ x: i % side, y: Math.floor(i / side) }));
  const at = (x: number, y: number) => (x < 0 || y < 0 || x >= side || y >= side ? -1 : y * side + x);
  return {
    x: points.map(({ x }) => x),
    y: points.map(({ y }) => y),
    neighbours: points.map(({ x, y }) => [at(x + 1, y), at(x - 1, y), at(x, y + 1), at(x, y - 1)]),
  };
}

test('region sizes approach their targets: 100, 100 and 200 of 400', () => {
  const seeds = [
    { x: 3, y: 3, target: 1 },
    { x: 15, y: 4, target: 1 },
    { x: 9, y: 15, target: 2 },
  ];
  const region = divideIntoRegions(square(20), seeds, 1);
  const sizes = seeds.map((_, k) => region.filter((own) => own === k).length);
  expect(Math.abs(sizes[0]! - 100)).toBeLessThan(10);
  expect(Math.abs(sizes[2]! - 200)).toBeLessThan(10);
});

test('seeds at the same place each get a region', () => {
  const region = divideIntoRegions(
    square(3),
    Array.from({ length: 5 }, () => ({ x: 1, y: 1, target: 1 })),
    1,
  );
  expect(new Set(region).size).toBe(5);
});

test('more regions than points are refused', () => {
  const seeds = Array.from({ length: 5 }, () => ({ x: 0, y: 0, target: 1 }));
  expect(() => divideIntoRegions(square(2), seeds, 1)).toThrow('4 points cannot make 5 regions');
});
