import { fromArrayBuffer } from 'geotiff';
import { expect, test } from 'vitest';
import { type Grid, writeGeotiff } from '../../../pipeline/synthetic/geotiff-writer.ts';

const grid: Grid = { west: 2.5, north: 13, step: 0.25, columns: 3, rows: 2 };

async function read(file: Buffer) {
  const tiff = await fromArrayBuffer(new Uint8Array(file).buffer);
  const image = await tiff.getImage();
  const values = (await image.readRasters({ interleave: true })) as Float32Array | Int16Array;
  return { image, values };
}

// Copies, because the reader adds width and height to its arrays.
test('floats are read back as written, with NaN, position and nodata', async () => {
  const values = Float32Array.from([0, 1.5, -2.25, Number.NaN, 1e9, 0.1]);
  const { image, values: back } = await read(writeGeotiff(values, grid, 'nan'));
  expect([...back]).toEqual([...values]);
  expect(image.getBoundingBox()).toEqual([2.5, 12.5, 3.25, 13]);
  expect(image.getGDALNoData()).toBeNaN();
  expect(image.getGeoKeys()).toMatchObject({ GeographicTypeGeoKey: 4326, GTRasterTypeGeoKey: 1 });
});

test('integers are 16-bit signed, with nodata -9999', async () => {
  const values = Int16Array.from([-9999, 0, 1, 32767, -32768, 7]);
  const { image, values: back } = await read(writeGeotiff(values, grid, '-9999'));
  expect([...back]).toEqual([...values]);
  expect(image.getGDALNoData()).toBe(-9999);
});

test('files may have many strips, the last one short, and no nodata tag if none is given', async () => {
  const tall: Grid = { ...grid, columns: 5, rows: 131 };
  const values = Float32Array.from({ length: 5 * 131 }, (_, i) => Math.sin(i));
  const { image, values: back } = await read(writeGeotiff(values, tall));
  expect([...back]).toEqual([...values]);
  expect(image.getGDALNoData()).toBeNull();
});

test('values that do not fill the grid are refused', () => {
  expect(() => writeGeotiff(new Float32Array(5), grid)).toThrow('5 values for 3 × 2 cells');
});
