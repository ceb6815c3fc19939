import { kinks } from '@turf/kinks';
import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { findSelfCrossing } from '../../../../pipeline/lib/numerics/self-crossing.ts';

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
  expect(findSelfCrossing([[tie]])).toEqual([1, 1]);
  expect(findSelfCrossing([[square(0, 0, 1)]])).toBe(null);
});

test('different rings can cross each other, and may touch at a vertex', () => {
  expect(findSelfCrossing([[square(0, 0, 2)], [square(1, 1, 2)]])).not.toBe(null);
  expect(findSelfCrossing([[square(0, 0, 1)], [square(1, 1, 1)]])).toBe(null);
  expect(findSelfCrossing([[square(0, 0, 4), square(1, 1, 1)]])).toBe(null);
});

const box = (west: number, south: number, east: number, north: number): Ring => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
const tieThroughAVertex: Ring = [
  [0, 0],
  [1, 1],
  [2, 2],
  [2, 0],
  [1, 1],
  [0, 2],
  [0, 0],
];

test.each<[string, Ring[][]]>([
  ['a bow tie that crosses in a vertex', [[tieThroughAVertex]]],
  ['a part twice', [[box(0, 0, 2, 1)], [box(0, 0, 2, 1)]]],
  ['a part twice, in the other direction', [[box(0, 0, 2, 1)], [box(0, 0, 2, 1).reverse()]]],
  ['a part inside another', [[box(0, 0, 3, 3)], [box(1, 1, 2, 2)]]],
  ['a hole outside its part', [[box(0, 0, 1, 1), box(2, 0, 3, 1)]]],
  ['a hole twice', [[box(0, 0, 3, 3), box(1, 1, 2, 2), box(1, 1, 2, 2)]]],
  ['a hole inside a hole', [[box(0, 0, 5, 5), box(1, 1, 4, 4), box(2, 2, 3, 3)]]],
  ['parts that overlap along a common edge', [[box(0, 0, 2, 1)], [box(1, 0, 3, 1)]]],
  ['a hole that reaches out of its part', [[box(0, 0, 2, 2), box(1, 0.5, 3, 1.5)]]],
])('%s', (_, polygons) => {
  // Far from the origin and small, where rounding is largest.
  for (const [scale, shift] of [
    [1, 0],
    [1e-3, 120],
  ] as const)
    expect(
      findSelfCrossing(
        polygons.map((rings) =>
          rings.map((ring) => ring.map(([x, y]) => [shift + scale * x, shift / 3 + scale * y] as const)),
        ),
      ),
    ).not.toBe(null);
});

test.each<[string, Ring[][]]>([
  ['an island in a lake', [[box(0, 0, 5, 5), box(1, 1, 4, 4)], [box(2, 2, 3, 3)]]],
  ['parts with a common edge', [[box(0, 0, 1, 1)], [box(1, 0, 2, 1)], [box(0, 1, 2, 2)]]],
  [
    'a hole that touches the rim',
    [
      [
        box(0, 0, 3, 3),
        [
          [0, 0],
          [1, 2],
          [2, 1],
          [0, 0],
        ],
      ],
    ],
  ],
  [
    'a ring that touches itself',
    [
      [
        [
          [1, 1],
          [4, 1],
          [4, 4],
          [1, 4],
          [1, 1],
          [2, 3],
          [3, 3],
          [3, 2],
          [1, 1],
        ],
      ],
    ],
  ],
  [
    'a spike without ground',
    [
      [
        [
          [0, 0],
          [2, 0],
          [2, 1],
          [2, 3],
          [2, 1],
          [0, 1],
          [0, 0],
        ],
      ],
    ],
  ],
])('no fault: %s', (_, polygons) => {
  for (const shift of [0, 120.123456789])
    expect(
      findSelfCrossing(
        polygons.map((rings) => rings.map((ring) => ring.map(([x, y]) => [shift + x / 3, shift / 3 + y / 7] as const))),
      ),
    ).toBe(null);
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
    expect(findSelfCrossing([[ring]]) !== null).toBe(expected);
    return expected;
  });
  expect(new Set(verdicts).size).toBe(2);
});
