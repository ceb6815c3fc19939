import { expect, test } from 'vitest';
import { createClusterLocator } from '../../../../pipeline/model/risk/displacement.ts';

/** A degree of latitude, km, on the sphere of mean radius. */
const KM = 111.195;
/**
 * Cells 0.07 km apart around (8, LATITUDE), of equal density; those east of the middle belong to LGA 1, the rest to 0.
 */
const LATITUDE = 12;
const WIDTH = 161;
const STEP = 0.07;
const shrink = Math.cos((LATITUDE * Math.PI) / 180);
const at = (k: number) => ({ east: STEP * ((k % WIDTH) - 80), north: STEP * (Math.floor(k / WIDTH) - 80) });
const every = <T>(value: (k: number) => T) => Array.from({ length: WIDTH * WIDTH }, (_, k) => value(k));
const cells = {
  lga: Int32Array.from(every((k) => Number(at(k).east > 0))),
  longitude: every((k) => 8 + at(k).east / KM / shrink),
  latitude: every((k) => LATITUDE + at(k).north / KM),
  population: every(() => 1),
  density: every(() => 1),
  features: new Float64Array(0),
  feature_count: 0,
};

/** Weighted mean of a function of the distance east and north of the published point, km. */
const meanOf = (
  { cells: own, weights }: { cells: Int32Array; weights: Float64Array },
  value: (east: number, north: number) => number,
) => own.reduce((sum, c, i) => sum + weights[i]! * value(at(c).east, at(c).north), 0);

test('with uniform density, the displacement has a uniform distance and direction, as with DHS', () => {
  for (const reach of [2, 5]) {
    const place = createClusterLocator(cells)(8, LATITUDE, null, reach, 'x');
    expect(meanOf(place, () => 1)).toBeCloseTo(1, 12);
    // uniform on 0 to r: mean r/2, mean square r²/3, half of it on each axis; five rings and these cells are this
    // accurate
    expect(Math.abs(meanOf(place, Math.hypot) / (reach / 2) - 1)).toBeLessThan(0.03);
    for (const square of [meanOf(place, (east) => east ** 2), meanOf(place, (_, north) => north ** 2)])
      expect(Math.abs(square / (reach ** 2 / 6) - 1)).toBeLessThan(0.05);
    expect(Math.max(...Array.from(place.cells, (c) => Math.hypot(at(c).east, at(c).north)))).toBeLessThan(reach);
  }
});

test('a place whose LGA is known stays in it', () => {
  const place = createClusterLocator(cells)(8, LATITUDE, 1, 5, 'x');
  expect(Array.from(place.cells).every((c) => cells.lga[c] === 1)).toBe(true);
  expect(meanOf(place, () => 1)).toBeCloseTo(1, 12);
});

test('a place is likelier where more people live, in proportion to density', () => {
  const dense = { ...cells, density: every((k) => (at(k).north > 0 ? 3 : 1)) };
  const north = meanOf(createClusterLocator(dense)(8, LATITUDE + 0.2 / KM, null, 5, 'x'), (_, n) => Number(n > 0));
  expect(Math.abs(north - 3 / 4)).toBeLessThan(0.03);
});

test('a point without a cell near it is rejected', () => {
  expect(() => createClusterLocator(cells)(9, LATITUDE, null, 5, 'cluster 7')).toThrow(
    'cluster 7: no inhabited cell near',
  );
});
