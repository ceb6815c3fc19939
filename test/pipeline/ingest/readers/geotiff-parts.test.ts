/** What else belongs to a raster: files beside it, further images, and what its directories claim. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRaster } from '../../../../pipeline/ingest/readers/geotiff.ts';
import { describeRaster } from '../../../../pipeline/ingest/readers/geotiff-description.ts';
import { HAS_GDAL, messageOf, needsGdal, readAll } from '../../gdal.ts';
import { temporaryDirectory, writeRaster } from '../../rasters.ts';
import { encodeTiff, type TiffOptions } from '../../tiff-encoder.ts';

const ROWS = [
  [1, 2, 3],
  [4, -9999, 6],
];
const raster = (options: Parameters<typeof writeRaster>[2] = {}) =>
  writeRaster(join(temporaryDirectory(), 'a.tif'), ROWS, options);

describe('notes beside a raster (.aux.xml)', () => {
  const note = (file: string, band: string, more = '') =>
    writeFileSync(
      file.replace(/tif$/, 'TIF.AUX.XML'),
      `<PAMDataset>${more}<PAMRasterBand band="1">${band}</PAMRasterBand>
       <PAMRasterBand band="2"><NoDataValue>5</NoDataValue></PAMRasterBand></PAMDataset>`,
    );
  const PLACE = (west: number) => `<GeoTransform> ${west}, 1.0, 0.0, 5.0, 0.0, -1.0</GeoTransform>`;

  test.each<[string, string, string, string]>([
    ['another nodata value', '<NoDataValue le_hex_equiv="0">4</NoDataValue>', '', 'the nodata value 4'],
    ['a scale', '<Scale>0.1</Scale>', '', 'the scale 0.1'],
    ['an offset', '<Offset>-273.15</Offset>', '', 'the offset -273.15'],
    ['another place', '', PLACE(2), 'the place 2, 1, 0, 5, 0, -1'],
    ['another system', '', '<SRS>PROJCS["WGS 84 / UTM zone 32N"]</SRS>', 'another coordinate system'],
  ])('%s: refused', async (_, band, more, found) => {
    const file = raster({ nodata: '-9999' });
    note(file, band, more);
    await expect(openRaster(file)).rejects.toThrow(`${file}: found ${found} in a.TIF.AUX.XML`);
  });

  test('statistics, and what the file says itself, are no fault', async () => {
    const file = raster({ nodata: '-9999' });
    const statistics = '<Metadata><MDI key="STATISTICS_MAXIMUM">6</MDI></Metadata><UnitType>m</UnitType>';
    const same = '<NoDataValue>-9.99900000000000E+03</NoDataValue><Scale>1</Scale><Offset>0</Offset>';
    note(file, statistics + same, `${PLACE(0)}<SRS>GEOGCS["WGS 84",DATUM["WGS_1984"]]</SRS>`);
    expect(await readAll(file)).toEqual([1, 2, 3, 4, Number.NaN, 6]);
  });

  test('a declared nodata value decides', async () => {
    const file = raster();
    note(file, '<NoDataValue>4</NoDataValue>');
    expect(await readAll(file, { nodata: -9999 })).toEqual([1, 2, 3, 4, Number.NaN, 6]);
  });

  test('a mask is refused; overviews, a world file and the notes of another raster are not', async () => {
    const file = raster({ nodata: '-9999' });
    for (const beside of ['a.tif.ovr', 'a.tfw', 'aa.tif.msk', 'a.msk']) writeFileSync(join(file, '..', beside), 'x');
    expect(await readAll(file)).toEqual([1, 2, 3, 4, Number.NaN, 6]);
    writeFileSync(`${file}.msk`, 'x');
    await expect(openRaster(file)).rejects.toThrow('found a mask of missing cells in a.tif.msk');
  });
});

describe.skipIf(!HAS_GDAL)(needsGdal('overviews'), () => {
  test('inside the file are not further rasters', async () => {
    const file = raster({ nodata: '-9999' });
    execFileSync('gdaladdo', ['-q', file, '2'], { stdio: 'pipe' });
    expect(await readAll(file)).toEqual([1, 2, 3, 4, Number.NaN, 6]);
  });
});

describe('what a directory claims is held against the file before it is used', () => {
  const PLAIN: TiffOptions = {
    type: 'float32',
    compression: 'none',
    predictor: 1,
    littleEndian: true,
    big: false,
    block: { rows: 2 },
    bands: 1,
    planar: false,
    southUp: false,
  };
  /** A valid file, changed; `entry` gives the place of a tag. */
  function changed(big: boolean, change: (bytes: Buffer, entry: (tag: number) => number, end: number) => void): string {
    const bytes = encodeTiff([ROWS], { ...PLAIN, big });
    const [count, length] = big ? [8, 20] : [2, 12];
    const directory = big ? Number(bytes.readBigUInt64LE(8)) : bytes.readUInt32LE(4);
    const entries = big ? Number(bytes.readBigUInt64LE(directory)) : bytes.readUInt16LE(directory);
    const at = (i: number) => directory + count! + length! * i;
    const entry = (tag: number) => {
      for (let i = 0; i < entries; i++) if (bytes.readUInt16LE(at(i)) === tag) return at(i);
      throw new Error(`no tag ${tag}`);
    };
    change(bytes, entry, at(entries));
    const file = join(temporaryDirectory(), 'a.tif');
    writeFileSync(file, bytes);
    return file;
  }

  test.each([false, true])('directories in a circle, BigTIFF: %s', async (big) => {
    const file = changed(big, (bytes, _, end) => {
      if (big) bytes.writeBigUInt64LE(bytes.readBigUInt64LE(8), end);
      else bytes.writeUInt32LE(bytes.readUInt32LE(4), end);
    });
    expect(await messageOf(describeRaster(file))).toMatch(/a list of images that returns to byte \d+ and never ends/);
  });

  test.each([false, true])('a list of two thousand million blocks, BigTIFF: %s', async (big) => {
    const file = changed(big, (bytes, entry) => {
      if (big) bytes.writeBigUInt64LE(2n ** 31n, entry(273) + 4);
      else bytes.writeUInt32LE(2 ** 31, entry(273) + 4);
    });
    expect(await messageOf(describeRaster(file))).toMatch(
      /its tag 273: found 2147483648 values, expected .*the file's/,
    );
  });

  test('more rows than blocks, and rows too long for memory', async () => {
    const long = (tag: number, value: number) =>
      changed(false, (bytes, entry) => {
        bytes.writeUInt16LE(4, entry(tag) + 2);
        bytes.writeUInt32LE(value, entry(tag) + 8);
      });
    expect(await messageOf(describeRaster(long(257, 100)))).toMatch(/found 1 blocks, expected 50/);
    expect(await messageOf(describeRaster(long(256, 2 ** 31)))).toMatch(/degrees on the globe|at most 268435456/);
  });

  test('a truncated directory', async () => {
    const file = raster();
    writeFileSync(file, readFileSync(file).subarray(0, 40));
    expect(await messageOf(describeRaster(file))).toMatch(/the file is cut short/);
  });
});
