import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeArrayBuffer } from 'geotiff';
import { describe, expect, test } from 'vitest';
import { openRaster } from '../../../../pipeline/ingest/readers/geotiff.ts';
import type { RasterDeclaration } from '../../../../pipeline/ingest/readers/geotiff-conversion.ts';
import { temporaryDirectory, writeRaster } from '../../rasters.ts';

const ROWS = [
  [1, 2, 3],
  [4, -9999, 6],
  [7, 8, Number.NaN],
];

/** Two by two cells. */
const PLACE = {
  width: 2,
  height: 2,
  GTModelTypeGeoKey: 2,
  GTRasterTypeGeoKey: 1,
  GeographicTypeGeoKey: 4326,
  ModelPixelScale: [1, 1, 0],
  ModelTiepoint: [0, 0, 0, 0, 2, 0],
};

async function readAll(file: string, declared: RasterDeclaration = {}) {
  const raster = await openRaster(file, { marksAreValues: true, ...declared });
  try {
    const { columns, rows } = raster.grid;
    return [...(await raster.readWindow({ row: 0, column: 0, rows, columns }))];
  } finally {
    await raster.close();
  }
}

describe('missing cells', () => {
  const file = () => join(temporaryDirectory(), 'a.tif');
  const [held, masked] = [
    [1, 2, 3, 4, -9999, 6, 7, 8, Number.NaN],
    [1, 2, 3, 4, Number.NaN, 6, 7, 8, Number.NaN],
  ];

  test('without a tag only NaN is missing; 0 is a value', async () => {
    expect(await readAll(writeRaster(file(), ROWS))).toEqual(held);
    expect(await readAll(writeRaster(file(), [[0, 1]]))).toEqual([0, 1]);
  });

  test('a declared nodata value overrides the tag', async () => {
    expect(await readAll(writeRaster(file(), ROWS, { nodata: '-9999' }))).toEqual(masked);
    expect(await readAll(writeRaster(file(), ROWS, { nodata: '-9999' }), { nodata: 'none' })).toEqual(held);
    expect(await readAll(writeRaster(file(), ROWS, { nodata: '7' }), { nodata: -9999 })).toEqual(masked);
    expect(await readAll(writeRaster(file(), ROWS, { nodata: '-9999' }), { nodata: 'nan' })).toEqual(held);
  });

  test("a tag is rounded to the file's number type", async () => {
    const rows = [[Math.fround(-3.4028234663852886e38), 1]];
    expect(await readAll(writeRaster(file(), rows, { nodata: '-3.40282346638529e+38' }))).toEqual([Number.NaN, 1]);
  });

  test('a value outside the plausible range is refused with its position', async () => {
    const path = writeRaster(file(), ROWS);
    await expect(readAll(path, { valid: [0, 100] })).rejects.toThrow(
      `${path}, row 1, column 1 (1.5000, 3.5000): found -9999, expected 0 to 100`,
    );
    expect(await readAll(path, { valid: [0, 100], nodata: -9999 })).toEqual(masked);
  });

  test('integers become floats, so that missing cells can be NaN', async () => {
    const path = file();
    const bytes = writeArrayBuffer(Uint8Array.from([1, 255, 3, 0]), { ...PLACE, GDAL_NODATA: '255' });
    writeFileSync(path, Buffer.from(bytes));
    expect(await readAll(path)).toEqual([1, Number.NaN, 3, 0]);
  });

  test('blocks absent from a sparse file are missing, not 0', async () => {
    const path = file();
    const floats = { BitsPerSample: [32], SampleFormat: [3], StripByteCounts: [0], GDAL_NODATA: 'nan' };
    const bytes = writeArrayBuffer(Float32Array.from([1, 2, 3, 4]), { ...PLACE, ...floats });
    writeFileSync(path, Buffer.from(bytes));
    expect(await readAll(path)).toEqual(Array(4).fill(Number.NaN));
  });
});

describe('location', () => {
  test('the grid is that of the tags, and windows are read from it', async () => {
    const path = writeRaster(join(temporaryDirectory(), 'a.tif'), ROWS, { west: 2.5, north: 14, cell: 0.25 });
    const raster = await openRaster(path, { marksAreValues: true });
    expect(raster.grid).toEqual({ west: 2.5, north: 14, cellWidth: 0.25, cellHeight: 0.25, columns: 3, rows: 3 });
    expect([...(await raster.readWindow({ row: 1, column: 0, rows: 2, columns: 2 }))]).toEqual([4, -9999, 7, 8]);
    await raster.close();
  });

  test('longitude may count from 0 to 360: west of Greenwich it is read, and the whole globe is to be turned', async () => {
    const path = writeRaster(join(temporaryDirectory(), 'a.tif'), ROWS, { west: 342, north: 14 });
    const raster = await openRaster(path, { marksAreValues: true });
    expect(raster.grid).toMatchObject({ west: -18, north: 14 });
    await raster.close();
    const globe = writeRaster(join(temporaryDirectory(), 'b.tif'), [Array.from({ length: 36 }, (_, i) => i)], {
      cell: 10,
    });
    await expect(openRaster(globe)).rejects.toThrow(
      /found longitude 0 to 360, expected -180 to 180; make one with: gdalwarp -te -180 -5 180 5 -ts 36 1 /,
    );
  });

  test('values that belong to points are at the centres of cells', async () => {
    const path = writeRaster(join(temporaryDirectory(), 'a.tif'), ROWS, { rasterType: 2 });
    const raster = await openRaster(path);
    expect(raster.grid).toMatchObject({ west: -0.5, north: 5.5 });
    await raster.close();
  });
});

describe('refused in one line that names the file', () => {
  const cases: [string, (file: string) => void, string][] = [
    ['no such file', () => {}, 'no such file'],
    ['no TIFF', (file) => writeFileSync(file, 'hello, this is not a raster at all'), 'an intact GeoTIFF'],
    ['an empty file', (file) => writeFileSync(file, ''), 'an intact GeoTIFF'],
    ['another coordinate system', (file) => writeRaster(file, ROWS, { epsg: 4263 }), 'EPSG:4263, expected EPSG:4326'],
    [
      'metres instead of degrees',
      (file) => writeRaster(file, ROWS, { west: 500_000 }),
      'expected degrees on the globe',
    ],
    [
      'truncated',
      (file) => writeFileSync(file, readFileSync(writeRaster(file, ROWS)).subarray(0, -5)),
      'the file is cut short',
    ],
  ];
  test.each(cases)('%s', async (_, prepare, message) => {
    const file = join(temporaryDirectory(), 'a.tif');
    prepare(file);
    const error = await openRaster(file).then(
      () => null,
      (cause: Error) => cause,
    );
    expect(error?.name).toBe('BadInput');
    expect(error?.message).toContain(file);
    expect(error?.message).toContain(message);
    expect(error?.message).not.toContain('\n');
  });
});
