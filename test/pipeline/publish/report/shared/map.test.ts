import { expect, test } from 'vitest';
import { svgPath } from '../../../../../pipeline/publish/report/shared/map.ts';

const units = ([x, y]: readonly [number, number]): [number, number] => [Math.round(x * 10), Math.round(-y * 10)];

test('a ring is a start and relative steps; points on the same unit become one', () => {
  const ring = [
    [0, 0],
    [1, 0],
    [1.01, 0.01],
    [1, 1],
    [0, 0],
  ];
  expect(svgPath({ type: 'Polygon', coordinates: [ring] }, units)).toBe('M0 0l10 0 0-10z');
});

test('parts and holes are rings of one path, without those too small to see', () => {
  const big = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ];
  const speck = [
    [5, 5],
    [5.01, 5],
    [5.01, 5.01],
    [5, 5],
  ];
  expect(svgPath({ type: 'MultiPolygon', coordinates: [[big, big], [speck]] }, units)).toBe(
    'M0 0l10 0 0-10zM0 0l10 0 0-10z',
  );
});
