import { expect, test } from 'vitest';
import { assignFolds, surveyedLgas } from '../../../pipeline/validate/spatial-folds.ts';

const lga = (lga_code: string, longitude: number, latitude: number, examined: number) => ({
  lga_code,
  longitude,
  latitude,
  examined,
});

test('blocks are kept together and assigned, largest first, to the fold with the fewest children', () => {
  const lgas = [
    lga('a', 3.1, 6.2, 30),
    lga('b', 3.9, 6.9, 20),
    lga('c', 4.0, 6.2, 40),
    lga('d', 4.5, 7.5, 15),
    lga('e', -0.5, 6.5, 10),
    lga('f', 0.5, 6.5, 0),
  ];
  // blocks: ab 50, c 40, d 15, e 10, f 0: folds 50 | 40, then d to the second (55), e and f to the first (60), f (55)
  expect(Object.fromEntries(assignFolds(lgas, 2))).toEqual({ a: 1, b: 1, c: 2, d: 2, e: 1, f: 2 });
});

test('the order of places does not matter, and equal blocks are ordered by name', () => {
  const lgas = Array.from({ length: 30 }, (_, i) => lga(`l${i}`, 3 + (i % 6), 5 + Math.floor(i / 6), 10));
  const folds = assignFolds(lgas);
  expect(new Map([...assignFolds(lgas.toReversed())].sort())).toEqual(new Map([...folds].sort()));
  const sizes = Map.groupBy(folds.values(), (fold) => fold);
  expect([...sizes.keys()].sort()).toEqual([1, 2, 3, 4, 5]);
  for (const own of sizes.values()) expect(own).toHaveLength(6);
});

test('there are at most as many folds as blocks with children', () => {
  const folds = assignFolds([lga('a', 3.5, 6.5, 9), lga('b', 4.5, 6.5, 8), lga('c', 5.5, 6.5, 0)]);
  expect([...folds.values()].sort()).toEqual([1, 2, 2]);
});

test('a place is at its centre of population and sums its children', () => {
  const cells = { lga_code: ['a', 'a', 'b'], longitude: [3, 5, 8], latitude: [6, 6, 7], population: [1, 3, 2] };
  const surveyed = [
    { lga_code: 'a', examined: 10 },
    { lga_code: 'a', examined: 5 },
  ];
  expect(surveyedLgas(cells, surveyed)).toEqual([lga('a', 4.5, 6, 15), lga('b', 8, 7, 0)]);
});
