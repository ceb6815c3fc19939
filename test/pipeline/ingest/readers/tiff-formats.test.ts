import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromFile } from 'geotiff';
import { describe, expect, test } from 'vitest';
import { openRaster } from '../../../../pipeline/ingest/readers/geotiff.ts';
import type { RasterDeclaration } from '../../../../pipeline/ingest/readers/geotiff-conversion.ts';
import { decodeLzw } from '../../../../pipeline/ingest/readers/lzw.ts';
import { HAS_GDAL, needsGdal } from '../../gdal.ts';
import { temporaryDirectory } from '../../rasters.ts';
import { encodeLzw, encodeTiff, type TiffOptions } from '../../tiff-encoder.ts';

const COLUMNS = 37;
const ROWS = 41;
const PLAIN: TiffOptions = {
  type: 'float32',
  compression: 'deflate',
  predictor: 1,
  littleEndian: true,
  big: false,
  block: { columns: 16, rows: 32 },
  bands: 1,
  planar: false,
  southUp: false,
};

/** Pseudorandom values that use every byte of the type. */
function makeBand(type: TiffOptions['type'], seed = 1): number[][] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const bits = Number(/\d+/.exec(type)![0]);
  // 64-bit integers only as far as a double represents them exactly.
  const range = 2 ** Math.min(bits, 53);
  return Array.from({ length: ROWS }, (_, r) =>
    Array.from({ length: COLUMNS }, (_, c) => {
      if (type === 'float16') return Math.f16round(100 * next() - 50);
      if (type === 'float32') return Math.fround(Math.sin(r / 9) * 1000 + next());
      if (type === 'float64') return Math.cos(c / 7) * 1e9 + next();
      const value = Math.floor(next() * range);
      return type.startsWith('u') ? value : value - range / 2;
    }),
  );
}

function write(bands: number[][][], options: TiffOptions): string {
  const file = join(temporaryDirectory(), 'a.tif');
  writeFileSync(file, encodeTiff(bands, options));
  return file;
}

async function readAll(file: string, declared: RasterDeclaration = {}): Promise<number[]> {
  const raster = await openRaster(file, { marksAreValues: true, ...declared });
  try {
    return [...(await raster.readWindow({ row: 0, column: 0, rows: raster.grid.rows, columns: raster.grid.columns }))];
  } finally {
    await raster.close();
  }
}

const TYPES = [
  'uint8',
  'int8',
  'uint16',
  'int16',
  'uint32',
  'int32',
  'uint64',
  'int64',
  'float16',
  'float32',
  'float64',
] as const;
const COMPRESSIONS = ['none', 'lzw', 'deflate', 'old-deflate', 'zstd'] as const;
const isFloat = (type: string) => type.startsWith('f');

describe('every type is read with every predictor', () => {
  test.each(
    TYPES.flatMap((type) =>
      (isFloat(type) ? ([1, 2, 3] as const) : ([1, 2] as const)).map((predictor) => [type, predictor] as const),
    ),
  )('%s, predictor %i: both byte orders, tiles and strips', async (type, predictor) => {
    const band = makeBand(type);
    for (const littleEndian of [true, false]) {
      for (const block of [PLAIN.block, { rows: 5 }]) {
        const file = write([band], { ...PLAIN, type, predictor, littleEndian, block });
        expect(await readAll(file)).toEqual(band.flat());
      }
    }
  });
});

describe('every compression is read', () => {
  test.each(COMPRESSIONS)('%s: classic and BigTIFF, tiles and strips', async (compression) => {
    const band = makeBand('int16');
    for (const big of [false, true]) {
      for (const block of [PLAIN.block, { rows: 5 }, { rows: ROWS }]) {
        const file = write([band], { ...PLAIN, type: 'int16', compression, big, block, predictor: 2 });
        expect(await readAll(file)).toEqual(band.flat());
      }
    }
  });

  test('packbits, which only the library supports', async () => {
    const band = makeBand('float32');
    for (const southUp of [false, true]) {
      const file = write([band], { ...PLAIN, compression: 'packbits', southUp });
      expect(await readAll(file)).toEqual(band.flat());
    }
  });

  test('LZW codes of every width, including codes used before they are complete', () => {
    for (const make of [
      () => 7,
      (i: number) => i % 3,
      (i: number) => (i * i * 31) % 251,
      (i: number) => (i >> 4) & 255,
    ]) {
      const bytes = Uint8Array.from({ length: 30_000 }, (_, i) => make(i));
      expect(Buffer.compare(decodeLzw(encodeLzw(bytes), bytes.length), bytes)).toBe(0);
    }
    expect(() => decodeLzw(Uint8Array.from([0x80, 0x5f, 0xff]), 9)).toThrow('beyond the dictionary');
    expect(() => decodeLzw(Uint8Array.from([0x80]), 9)).toThrow('truncated LZW data');
  });
});

describe('files with several bands are read', () => {
  test.each([false, true])('stored separately: %s', async (planar) => {
    const bands = [makeBand('float32', 1), makeBand('float32', 2), makeBand('float32', 3)];
    for (const predictor of [1, 2, 3] as const) {
      const file = write(bands, { ...PLAIN, bands: 3, planar, predictor });
      for (const band of [1, 2, 3]) expect(await readAll(file, { band })).toEqual(bands[band - 1]!.flat());
      await expect(readAll(file)).rejects.toThrow('found 3 bands, expected one');
      await expect(readAll(file, { band: 4 })).rejects.toThrow('found 3 bands, expected a band 4');
    }
  });
});

test('rows stored from south to north are read correctly in every window', async () => {
  const band = makeBand('float32');
  for (const compression of ['none', 'deflate'] as const) {
    const raster = await openRaster(write([band], { ...PLAIN, compression, southUp: true }));
    expect(raster.grid).toEqual({ west: 10, north: 5, cellWidth: 0.5, cellHeight: 0.5, columns: COLUMNS, rows: ROWS });
    for (const [row, column, rows, columns] of [
      [0, 0, 41, 37],
      [3, 5, 20, 30],
      [40, 36, 1, 1],
      [8, 15, 2, 2],
    ] as const) {
      const expected = band.slice(row, row + rows).flatMap((cells) => cells.slice(column, column + columns));
      expect([...(await raster.readWindow({ row, column, rows, columns }))]).toEqual(expected);
    }
    await raster.close();
  }
});

test('scale and offset are applied after missing cells are masked', async () => {
  const band = makeBand('int16');
  band[2]![3] = -9999;
  const file = write([band], { ...PLAIN, type: 'int16', nodata: '-9999', scale: 0.25, offset: 10 });
  expect(await readAll(file)).toEqual(band.flat().map((n) => (n === -9999 ? Number.NaN : 0.25 * n + 10)));
  // The plausible range applies to unpacked values.
  await expect(readAll(file, { valid: [-9000, 9000] })).resolves.toHaveLength(ROWS * COLUMNS);
});

test('nodata is rounded to the number type', async () => {
  for (const [type, nodata] of [
    ['float16', '-9999'],
    ['float32', '-3.40282346638529e+38'],
    ['float64', '1e300'],
    ['int64', '-9007199254740991'],
    ['uint8', '255'],
  ] as const) {
    const band = makeBand(type);
    band[0]![0] =
      type === 'float16' ? Math.f16round(-9999) : type === 'float32' ? Math.fround(Number(nodata)) : Number(nodata);
    const values = await readAll(write([band], { ...PLAIN, type, nodata }));
    expect(values[0], type).toBeNaN();
    expect(values.slice(37), type).toEqual(
      band
        .flat()
        .slice(37)
        .map((n) => (n === band[0]![0] ? Number.NaN : n)),
    );
  }
});

test('values are equal to those read by the library, for the codings that it supports', async () => {
  const known = TYPES.filter((type) => !type.includes('64') || type === 'float64');
  for (const type of known) {
    for (const predictor of type === 'float16' || type === 'float64' ? ([1, 3] as const) : ([1, 2] as const)) {
      const file = write([makeBand(type)], {
        ...PLAIN,
        type,
        predictor,
        compression: 'lzw',
      });
      const tiff = await fromFile(file);
      const theirs = (await (await tiff.getImage()).readRasters({ interleave: true })) as ArrayLike<number>;
      await tiff.close();
      expect(await readAll(file), `${type} ${predictor}`).toEqual(Array.from(theirs));
    }
  }
});

describe('damaged files', () => {
  test.each(['lzw', 'deflate', 'zstd'] as const)(
    '%s: damaged bytes are refused with file and rows',
    async (compression) => {
      const bytes = encodeTiff([makeBand('float32')], { ...PLAIN, compression });
      bytes.fill(0xa5, 40, 600);
      const file = join(temporaryDirectory(), 'a.tif');
      writeFileSync(file, bytes);
      await expect(readAll(file)).rejects.toThrow(`${file}, rows 0 to 40: found data that cannot be decoded`);
    },
  );

  test('a block too large for memory is refused before it is read', async () => {
    const file = join(temporaryDirectory(), 'a.tif');
    const bytes = encodeTiff([makeBand('float64')], { ...PLAIN, type: 'float64', block: { rows: ROWS }, cell: 0.001 });
    // Width and height in the tags: 60,000 cells each, in one strip.
    const directory = bytes.readUInt32LE(4) + 2;
    for (const entry of [0, 1]) bytes.writeUInt16LE(60_000, directory + 12 * entry + 8);
    const strip = Array.from({ length: 9 }, (_, i) => directory + 12 * i).find((at) => bytes.readUInt16LE(at) === 278)!;
    bytes.writeUInt16LE(60_000, strip + 8);
    writeFileSync(file, bytes);
    await expect(openRaster(file)).rejects.toThrow('expected at most 268435456, as in a tiled GeoTIFF');
  });
});

describe('files written by GDAL are read', () => {
  const options: [string, string[]][] = [
    [
      'LZW, predictor 2, tiles',
      [
        '-ot',
        'Int32',
        '-co',
        'COMPRESS=LZW',
        '-co',
        'PREDICTOR=2',
        '-co',
        'TILED=YES',
        '-co',
        'BLOCKXSIZE=16',
        '-co',
        'BLOCKYSIZE=32',
      ],
    ],
    ['deflate, predictor 3, strips', ['-co', 'COMPRESS=DEFLATE', '-co', 'PREDICTOR=3', '-co', 'BLOCKYSIZE=7']],
    [
      'zstd, predictor 3 on doubles, BigTIFF',
      [
        '-ot',
        'Float64',
        '-co',
        'COMPRESS=ZSTD',
        '-co',
        'PREDICTOR=3',
        '-co',
        'BIGTIFF=YES',
        '-co',
        'TILED=YES',
        '-co',
        'BLOCKXSIZE=16',
        '-co',
        'BLOCKYSIZE=16',
      ],
    ],
    [
      'LZW, predictor 2, big-endian',
      ['-ot', 'UInt16', '-co', 'COMPRESS=LZW', '-co', 'PREDICTOR=2', '-co', 'ENDIANNESS=BIG'],
    ],
    ['a mix of absent blocks and nodata', ['-co', 'SPARSE_OK=TRUE', '-co', 'COMPRESS=DEFLATE', '-a_nodata', '7']],
    ['LERC, read by the library', ['-co', 'COMPRESS=LERC']],
  ];
  test.skipIf(!HAS_GDAL).each(options)(needsGdal('%s'), async (_, creation) => {
    const band = makeBand('float32').map((row) => row.map((n) => Math.abs(Math.round(n))));
    const directory = temporaryDirectory();
    const [plain, file] = [join(directory, 'plain.tif'), join(directory, 'gdal.tif')];
    writeFileSync(plain, encodeTiff([band], PLAIN));
    execFileSync('gdal_translate', ['-q', ...creation, plain, file]);
    const missing = creation.includes('-a_nodata') ? 7 : Number.NaN;
    expect(await readAll(file)).toEqual(band.flat().map((n) => (n === missing ? Number.NaN : n)));
  });
});
