import { expect, test } from 'vitest';
import type { Polygon } from '../../../../pipeline/lib/numerics/area.ts';
import { nestingFaults, outlineFaults } from '../../../../pipeline/measure/boundaries/outline-check.ts';

const box = (west: number, east: number, extra: [number, number][] = []): Polygon => [
  [[west, 0], [east, 0], ...extra, [east, 1], [west, 1], [west, 0]],
];
const outline = (code: string, ...polygons: Polygon[]) => ({ code, state_code: 'AB', polygons });

test('a valid outline has no faults', () => {
  expect(outlineFaults(outline('a', box(0, 1)))).toEqual([]);
});

test('faults: no shape, an open ring, wrong ring directions, a self-crossing', () => {
  expect(outlineFaults(outline('a'))).toEqual(['a: no shape']);
  expect(outlineFaults(outline('a', [box(0, 1)[0]!.slice(0, -1)]))).toEqual(['a: a ring that is not closed']);
  expect(outlineFaults(outline('a', [[...box(0, 1)[0]!].reverse()]))).toEqual([
    'a: an exterior ring that runs clockwise',
  ]);
  const hole: [number, number][] = [
    [0.2, 0.2],
    [0.4, 0.2],
    [0.4, 0.4],
    [0.2, 0.4],
    [0.2, 0.2],
  ];
  expect(outlineFaults(outline('a', [box(0, 1)[0]!, hole]))).toEqual(['a: a hole that runs counter-clockwise']);
  expect(outlineFaults(outline('a', [box(0, 1)[0]!, [...hole].reverse()]))).toEqual([]);
  const bow: [number, number][] = [
    [0, 0],
    [2, 0],
    [0, 1],
    [1, 2],
    [0, 0],
  ];
  expect(outlineFaults(outline('a', [bow])).join()).toMatch(/a: an outline that crosses itself at/);
});

test('LGAs must nest in their state edge for edge', () => {
  const lgas = [outline('a', box(0, 1)), outline('b', box(1, 2))];
  const state: Polygon = [
    [
      [0, 0],
      [1, 0],
      [2, 0],
      [2, 1],
      [1, 1],
      [0, 1],
      [0, 0],
    ],
  ];
  expect(nestingFaults(lgas, [outline('AB', state)])).toEqual([]);
  expect(nestingFaults(lgas, [outline('AB', box(0, 2))])).toEqual([
    'AB: its areas do not nest in it: 4 of their edges are missing, 2 edges belong to no area',
  ]);
  expect(nestingFaults(lgas.slice(1), [outline('AB', state)])).toHaveLength(1);
});
