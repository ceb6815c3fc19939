import { constants, deflateSync } from 'node:zlib';

/** A grid of cells of equal size in degrees, with rows from north to south. */
export interface Grid {
  west: number;
  north: number;
  /** Cell size, degrees. */
  step: number;
  columns: number;
  rows: number;
}

const ROWS_PER_STRIP = 64;
const SHORT = 3;
const LONG = 4;
const ASCII = 2;
const DOUBLE = 12;
const BYTES = { [ASCII]: 1, [SHORT]: 2, [LONG]: 4, [DOUBLE]: 8 } as const;
type FieldType = keyof typeof BYTES;

/**
 * A little-endian, single-band GeoTIFF in EPSG:4326: 32-bit float or 16-bit signed, after the type of `values`
 * (row-major from the north-west), in deflated strips, with GDAL's nodata tag if `nodata` is given (TIFF 6.0; OGC
 * GeoTIFF 1.1). The geotiff package supports neither compression nor strips nor Int16 on writing. Deflate uses
 * run-length encoding only (`Z_RLE`), because hash chains differ between builds of zlib: this way the bytes are the
 * same on every machine.
 */
export function writeGeotiff(values: Float32Array | Int16Array, grid: Grid, nodata?: string): Buffer {
  if (values.length !== grid.columns * grid.rows) {
    throw new RangeError(`${values.length} values for ${grid.columns} × ${grid.rows} cells`);
  }
  const bytesPerValue = values.BYTES_PER_ELEMENT;
  const strips: Buffer[] = [];
  for (let row = 0; row < grid.rows; row += ROWS_PER_STRIP) {
    const start = row * grid.columns;
    const end = Math.min(grid.rows, row + ROWS_PER_STRIP) * grid.columns;
    const bytes = Buffer.alloc((end - start) * bytesPerValue);
    for (let i = start; i < end; i++) {
      if (bytesPerValue === 4) bytes.writeFloatLE(values[i]!, (i - start) * bytesPerValue);
      else bytes.writeInt16LE(values[i]!, (i - start) * bytesPerValue);
    }
    strips.push(deflateSync(bytes, { level: 9, strategy: constants.Z_RLE }));
  }
  const lengths = strips.map((strip) => strip.length);
  const fields: [number, FieldType, number[] | string][] = [
    [256, LONG, [grid.columns]],
    [257, LONG, [grid.rows]],
    [258, SHORT, [8 * bytesPerValue]],
    [259, SHORT, [8]], // compression: deflate
    [262, SHORT, [1]], // 0 is black
    [273, LONG, lengths.map(() => 0)], // strip offsets, filled in below
    [277, SHORT, [1]], // one sample per pixel
    [278, LONG, [ROWS_PER_STRIP]],
    [279, LONG, lengths],
    [339, SHORT, [bytesPerValue === 4 ? 3 : 2]], // float, or signed
    [33550, DOUBLE, [grid.step, grid.step, 0]],
    [33922, DOUBLE, [0, 0, 0, grid.west, grid.north, 0]],
    [34735, SHORT, [1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326]], // geographic, areas, WGS 84
  ];
  if (nodata !== undefined) fields.push([42113, ASCII, `${nodata}\0`]);

  const headerBytes = 8;
  const directoryBytes = 2 + 12 * fields.length + 4;
  const bytesOutside = (field: (typeof fields)[number]) => {
    const bytes = field[2].length * BYTES[field[1]];
    return bytes > 4 ? bytes + (bytes & 1) : 0;
  };
  const dataStart = headerBytes + directoryBytes + fields.reduce((sum, field) => sum + bytesOutside(field), 0);
  let stripStart = dataStart;
  const stripOffsets = fields.find(([tag]) => tag === 273)![2] as number[];
  for (const [i, length] of lengths.entries()) {
    stripOffsets[i] = stripStart;
    stripStart += length;
  }

  const head = Buffer.alloc(dataStart);
  head.write('II', 0, 'latin1');
  head.writeUInt16LE(42, 2);
  head.writeUInt32LE(headerBytes, 4);
  head.writeUInt16LE(fields.length, headerBytes);
  let outsideStart = headerBytes + directoryBytes;
  for (const [i, field] of fields.entries()) {
    const [tag, type, value] = field;
    const entryStart = headerBytes + 2 + 12 * i;
    head.writeUInt16LE(tag, entryStart);
    head.writeUInt16LE(type, entryStart + 2);
    head.writeUInt32LE(value.length, entryStart + 4);
    let valueStart = entryStart + 8;
    if (bytesOutside(field) > 0) {
      head.writeUInt32LE(outsideStart, valueStart);
      valueStart = outsideStart;
      outsideStart += bytesOutside(field);
    }
    if (typeof value === 'string') head.write(value, valueStart, 'latin1');
    else {
      for (const number of value) {
        if (type === DOUBLE) head.writeDoubleLE(number, valueStart);
        else if (type === LONG) head.writeUInt32LE(number, valueStart);
        else head.writeUInt16LE(number, valueStart);
        valueStart += BYTES[type];
      }
    }
  }
  return Buffer.concat([head, ...strips]);
}
