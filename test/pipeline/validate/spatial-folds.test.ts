import { expect, test } from 'vitest';
import { foldByBlock, foldPlacesOf } from '../../../pipeline/validate/spatial-folds.ts';

const place = (lga_code: string, longitude: number, latitude: number, examined: number) => ({
  lga_code,
  longitude,
  latitude,
  examined,
});

test('blocks are kept together and assigned, largest first, to the fold with the fewest children', () => {
  const places = [
    place('a', 3.1, 6.2, 30),
    place('b', 3.9, 6.9, 20),
    place('c', 4.0, 6.2, 40),
    place('d', 4.5, 7.5, 15),
    place('e', -0.5, 6.5, 10),
    place('f', 0.5, 6.5, 0),
  ];
  // blocks: ab 50, c 40, d 15, e 10, f 0: folds 50 | 40, then d to the second (55), e and f to the first (60), f (55)
  expect(Object.fromEntries(foldByBlock(places, 2))).toEqual({ a: 1, b: 1, c: 2, d: 2, e: 1, f: 2 });
});

test('the order of places does not matter, and equal blocks are ordered by name', () => {
  const places = Array.from({ length: 30 }, (_, i) => place(`l${i}`, 3 + (i % 6), 5 + Math.floor(i / 6), 10));
  const folds = foldByBlock(places);
  expect(new Map([...foldByBlock(places.toReversed())].sort())).toEqual(new Map([...folds].sort()));
  const sizes = Map.groupBy(folds.values(), (fold) => fold);
  expect([...sizes.keys()].sort()).toEqual([1, 2, 3, 4, 5]);
  for (const own of sizes.values()) expect(own).toHaveLength(6);
});

test('there are at most as many folds as blocks with children', () => {
  const folds = foldByBlock([place('a', 3.5, 6.5, 9), place('b', 4.5, 6.5, 8), place('c', 5.5, 6.5, 0)]);
  expect([...folds.values()].sort()).toEqual([1, 2, 2]);
});

test('a place is at its centre of population and sums its children', () => {
  const cells = { lga_code: ['a', 'a', 'b'], longitude: [3, 5, 8], latitude: [6, 6, 7], population: [1, 3, 2] };
  const surveyed = [
    { lga_code: 'a', examined: 10 },
    { lga_code: 'a', examined: 5 },
  ];
  expect(foldPlacesOf(cells, surveyed)).toEqual([place('a', 4.5, 6, 15), place('b', 8, 7, 0)]);
});
