import { kinks } from '@turf/turf';
import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { selfCrossing } from '../../../../pipeline/lib/numerics/self-crossing.ts';

type Ring = [number, number][];
const square = (x: number, y: number, side: number): Ring => [
  [x, y],
  [x + side, y],
  [x + side, y + side],
  [x, y + side],
  [x, y],
];

test('a bow tie crosses in its middle; a square does not', () => {
  const tie: Ring = [
    [0, 0],
    [2, 2],
    [2, 0],
    [0, 2],
    [0, 0],
  ];
  expect(selfCrossing([[tie]])).toEqual([1, 1]);
  expect(selfCrossing([[square(0, 0, 1)]])).toBe(null);
});

test('different rings can cross each other, and may touch at a vertex', () => {
  expect(selfCrossing([[square(0, 0, 2)], [square(1, 1, 2)]])).not.toBe(null);
  expect(selfCrossing([[square(0, 0, 1)], [square(1, 1, 1)]])).toBe(null);
  expect(selfCrossing([[square(0, 0, 4), square(1, 1, 1)]])).toBe(null);
});

test('the result agrees with an independent calculation for rings of random vertices', () => {
  const random = randomStream(1, 'self-crossing');
  const verdicts = Array.from({ length: 200 }, (_, i) => {
    // around a centre: the more the angles deviate, the more edges cross
    const n = 12;
    const deviation = i % 2 ? 0.4 : 1.2;
    const ring: Ring = Array.from({ length: n }, (_, k) => {
      const angle = (2 * Math.PI * (k + deviation * random.normal())) / n;
      const radius = 1 + 0.2 * random.normal();
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    });
    ring.push(ring[0]!);
    const expected = kinks({ type: 'Polygon', coordinates: [ring] }).features.length > 0;
    expect(selfCrossing([[ring]]) !== null).toBe(expected);
    return expected;
  });
  expect(new Set(verdicts).size).toBe(2);
});
