import { expect, test } from 'vitest';
import { fromWkb, toWkb } from '../../../../pipeline/publish/snapshot/wkb.ts';

const ring = [
  [0, 0],
  [1, 0],
  [1, 2],
  [0, 0],
];

test('a polygon has the byte order, type 3 and one ring of four points', () => {
  const bytes = toWkb({ type: 'Polygon', coordinates: [ring] });
  expect(bytes.length).toBe(9 + 4 + 4 * 16);
  expect(bytes.subarray(0, 13).toString('hex')).toBe('01030000000100000004000000');
  expect([bytes.readDoubleLE(13 + 2 * 16), bytes.readDoubleLE(13 + 2 * 16 + 8)]).toEqual([1, 2]);
});

test('a multipolygon contains complete polygons', () => {
  const one = toWkb({ type: 'Polygon', coordinates: [ring] });
  const two = toWkb({ type: 'MultiPolygon', coordinates: [[ring], [ring]] });
  expect(two.toString('hex')).toBe(`010600000002000000${one.toString('hex').repeat(2)}`);
});

test('written geometries are read back unchanged', () => {
  for (const geometry of [
    { type: 'Polygon' as const, coordinates: [ring, ring] },
    { type: 'MultiPolygon' as const, coordinates: [[ring, ring], [ring]] },
  ])
    expect(fromWkb(toWkb(geometry))).toEqual(geometry);
  expect(() => fromWkb(Buffer.from(`010600000001000000${'010200000000000000'}`, 'hex'))).toThrow('expected a polygon');
});
