/** GeoTIFF tags, in the different forms that programs write. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRaster } from '../../../../pipeline/ingest/readers/geotiff.ts';
import type { RasterDeclaration } from '../../../../pipeline/ingest/readers/geotiff-conversion.ts';
import { temporaryDirectory } from '../../rasters.ts';
import { encodeTiff, type TiffOptions } from '../../tiff-encoder.ts';

const PLAIN: TiffOptions = {
  type: 'float32',
  compression: 'deflate',
  predictor: 1,
  littleEndian: true,
  big: false,
  block: { rows: 2 },
  bands: 1,
  planar: false,
  southUp: false,
};

function write(rows: number[][], options: Partial<TiffOptions>, change = (_: Buffer) => {}): string {
  const file = join(temporaryDirectory(), 'a.tif');
  const bytes = encodeTiff([rows], { ...PLAIN, ...options });
  change(bytes);
  writeFileSync(file, bytes);
  return file;
}

/** The values, with those that usually mark missing cells. */
const read = (file: string, declared: RasterDeclaration = {}) => readWith(file, { marksAreValues: true, ...declared });

async function readWith(file: string, declared: RasterDeclaration): Promise<number[]> {
  const raster = await openRaster(file, declared);
  const values = await raster.readWindow({ row: 0, column: 0, rows: raster.grid.rows, columns: raster.grid.columns });
  await raster.close();
  return [...values];
}

describe('nodata', () => {
  const ROWS = [
    [1, Number.NaN, -9999],
    [0, Infinity, -Infinity],
  ];
  const cells = ROWS.flat();
  test.each<[string, (cell: number) => boolean]>([
    ['nan', () => false],
    ['-nan', () => false],
    ['NaN', () => false],
    ['inf', (cell) => cell === Infinity],
    ['+inf', (cell) => cell === Infinity],
    ['-inf', (cell) => cell === -Infinity],
    ['-Infinity', (cell) => cell === -Infinity],
    ['-9999', (cell) => cell === -9999],
    [' -9999.000 ', (cell) => cell === -9999],
    ['-9.999e+03', (cell) => cell === -9999],
    ['0', (cell) => cell === 0],
    ['', () => false],
    [' ', () => false],
  ])('a tag of "%s"', async (nodata, isMissing) => {
    expect(await read(write(ROWS, { nodata }))).toEqual(cells.map((cell) => (isMissing(cell) ? Number.NaN : cell)));
  });

  test('a tag without a terminating zero byte is read', async () => {
    const file = write(ROWS, { nodata: '-9999.0' }, (bytes) => {
      const at = bytes.indexOf('-9999.0\0');
      bytes[at + 7] = '0'.charCodeAt(0);
    });
    expect(await read(file)).toEqual(cells.map((cell) => (cell === -9999 ? Number.NaN : cell)));
  });

  test('a tag that is not a number is refused, unless the value is declared', async () => {
    const file = write(ROWS, { nodata: 'n/a' });
    await expect(read(file)).rejects.toThrow(`${file}, its nodata tag: found n/a, expected a number, nan or inf`);
    expect(await read(file, { nodata: -9999 })).toEqual(cells.map((cell) => (cell === -9999 ? Number.NaN : cell)));
  });

  test.each(['-9999', '256', '0.5', 'nan', '-inf', '1e400'])(
    'the tag %s, which a byte cannot represent, is ignored',
    async (nodata) => {
      const rows = [[0, 1, 255]];
      expect(await read(write(rows, { type: 'uint8', nodata }))).toEqual([0, 1, 255]);
    },
  );

  test('the extremes of integer types can be nodata values', async () => {
    for (const [type, least] of [
      ['int16', -32768],
      ['int32', -2147483648],
      ['uint16', 65535],
    ] as const)
      expect(await read(write([[1, least]], { type, nodata: String(least) })), type).toEqual([1, Number.NaN]);
  });
});

describe('values that mark missing cells', () => {
  test('floats may differ from the tag by rounding, as in GDAL', async () => {
    const rounded = Math.fround(-3.4e38);
    expect(await read(write([[1, rounded, -3.3e38]], { type: 'float64', nodata: '-3.4e+38' }))).toEqual([
      1,
      Number.NaN,
      -3.3e38,
    ]);
    expect(await read(write([[1, 0.1 + 1e-9, 0.1001]], { type: 'float64', nodata: '0.1' }))).toEqual([
      1,
      Number.NaN,
      0.1001,
    ]);
    expect(await read(write([[-9998, -9999]], { type: 'int16', nodata: '-9998' }))).toEqual([Number.NaN, -9999]);
  });

  test.each<[TiffOptions['type'], number]>([
    ['float32', -9999],
    ['float32', -99999],
    ['float32', -3.4e38],
    ['float64', 1e20],
    ['float32', 9.96921e36],
    ['float32', Number.POSITIVE_INFINITY],
    ['int16', -32768],
    ['int16', -999],
    ['uint16', 65535],
    ['uint8', 255],
    ['int8', -128],
    ['int32', -2147483648],
  ])('untagged: %s %s is refused, unless it is a value', async (type, value) => {
    const file = write([[1, 2, value]], { type });
    const refused = readWith(file, {});
    await expect(refused).rejects.toThrow(/row 0, column 2 .*\(is this an undeclared nodata value\?\)/);
    expect((await readWith(file, { marksAreValues: true }))[2]).toBeCloseTo(value, -32);
    expect((await readWith(file, { nodata: value }))[2]).toBeNaN();
  });

  test('of packed values are recognised before they are scaled', async () => {
    const file = write([[1, 2, -32768]], { type: 'int16', scale: 0.01, offset: 5 });
    await expect(readWith(file, {})).rejects.toThrow('column 2');
  });

  test('within a declared range, only the limits of integers and nines are refused', async () => {
    const file = write([[1, 255]], { type: 'uint8' });
    expect(await readWith(file, { valid: [0, 1000] })).toEqual([1, 255]);
    await expect(readWith(write([[1, 65535]], {}), { valid: [0, 1e6] })).rejects.toThrow('found 65535');
  });
});

test('a scale that is not a number is refused', async () => {
  const file = write([[1]], { scale: Number.NaN });
  await expect(read(file)).rejects.toThrow('found the scale NaN and offset 0, expected numbers');
});

/** Marks the only strip of a file as absent. */
const removeStrip = (bytes: Buffer) => {
  const directory = bytes.readUInt32LE(4);
  const entries = Array.from({ length: bytes.readUInt16LE(directory) }, (_, i) => directory + 2 + 12 * i);
  bytes.writeUInt32LE(0, entries.find((entry) => bytes.readUInt16LE(entry) === 279)! + 8);
};

test.each(['deflate', 'packbits'] as const)('an absent block with the compression %s', async (compression) => {
  const options = { compression, block: { rows: 1 } };
  expect(await read(write([[1, 2]], { ...options, nodata: 'nan' }, removeStrip))).toEqual([Number.NaN, Number.NaN]);
  expect(await read(write([[1, 2]], options, removeStrip))).toEqual([0, 0]);
  expect(await read(write([[1, 2]], { ...options, scale: 2, offset: 10 }, removeStrip))).toEqual([10, 10]);
  // With this tag no byte can be missing, so an absent block contains 0, as in GDAL.
  expect(await read(write([[1, 2]], { ...options, type: 'uint8', nodata: '-9999' }, removeStrip))).toEqual([0, 0]);
});

test.each([true, false])('lists of blocks far from the directory, little-endian: %s', async (littleEndian) => {
  const rows = Array.from({ length: 600 }, (_, r) => [r, -r]);
  for (const big of [false, true])
    for (const compression of ['deflate', 'packbits'] as const) {
      const file = write(rows, { littleEndian, big, compression, block: { rows: 1 }, cell: 0.01 });
      expect(await read(file)).toEqual(rows.flat());
    }
});
