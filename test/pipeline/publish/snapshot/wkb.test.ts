import { expect, test } from 'vitest';
import { toWkb } from '../../../../pipeline/publish/snapshot/wkb.ts';

const ring = [
  [0, 0],
  [1, 0],
  [1, 2],
  [0, 0],
];

test('a polygon: byte order, type 3, one ring of four points', () => {
  const bytes = toWkb({ type: 'Polygon', coordinates: [ring] });
  expect(bytes.length).toBe(9 + 4 + 4 * 16);
  expect(bytes.subarray(0, 13).toString('hex')).toBe('01030000000100000004000000');
  expect([bytes.readDoubleLE(13 + 2 * 16), bytes.readDoubleLE(13 + 2 * 16 + 8)]).toEqual([1, 2]);
});

test('a multipolygon holds whole polygons', () => {
  const one = toWkb({ type: 'Polygon', coordinates: [ring] });
  const two = toWkb({ type: 'MultiPolygon', coordinates: [[ring], [ring]] });
  expect(two.toString('hex')).toBe(`010600000002000000${one.toString('hex').repeat(2)}`);
});
