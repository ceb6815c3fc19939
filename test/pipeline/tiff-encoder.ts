import { deflateSync, zstdCompressSync } from 'node:zlib';

/** How to write a TIFF: every variant that the reader claims to support. */
export interface TiffOptions {
  type:
    | 'uint8'
    | 'int8'
    | 'uint16'
    | 'int16'
    | 'uint32'
    | 'int32'
    | 'uint64'
    | 'int64'
    | 'float16'
    | 'float32'
    | 'float64';
  compression: 'none' | 'lzw' | 'deflate' | 'old-deflate' | 'zstd' | 'packbits';
  predictor: 1 | 2 | 3;
  littleEndian: boolean;
  big: boolean;
  /** Columns and rows of a tile, multiples of 16; or rows of a strip. */
  block: { columns: number; rows: number } | { rows: number };
  bands: number;
  /** Whether bands are stored one after the other, instead of interleaved in every cell. */
  planar: boolean;
  southUp: boolean;
  /** Degrees; 0.5 by default. */
  cell?: number;
  nodata?: string;
  scale?: number;
  offset?: number;
}

const COMPRESSIONS = { none: 1, lzw: 5, deflate: 8, 'old-deflate': 32946, zstd: 50000, packbits: 32773 };
const ASCII = 2;
const SHORT = 3;
const DOUBLE = 12;
const LONG = { classic: 4, big: 16 };

/**
 * Encodes `bands[band][row][column]`, rows from north to south, west 10 and north 5. It follows the TIFF 6.0
 * specification, BigTIFF and the technical note on the floating-point predictor, and shares no code with the reader.
 */
export function encodeTiff(bands: number[][][], options: TiffOptions): Buffer {
  const { type, predictor, littleEndian, big, block, planar, southUp } = options;
  const bits = Number(/\d+/.exec(type)![0]);
  const size = bits / 8;
  const rows = bands[0]!.length;
  const columns = bands[0]![0]!.length;
  const images = southUp ? bands.map((band) => band.toReversed()) : bands;
  const tiled = 'columns' in block;
  const width = tiled ? block.columns : columns;
  const planes = planar ? images.map((band) => [band]) : [images];
  const blocks: Buffer[] = [];
  for (const plane of planes) {
    for (let y = 0; y < rows; y += block.rows) {
      for (let x = 0; x < columns; x += width) {
        const height = tiled ? block.rows : Math.min(block.rows, rows - y);
        const lines = Array.from({ length: height }, (_, j) => {
          const cells = Array.from({ length: width }, (_, i) => plane.map((band) => band[y + j]?.[x + i] ?? 0)).flat();
          return encodeRow(cells, plane.length);
        });
        blocks.push(compress(Buffer.concat(lines)));
      }
    }
  }

  /** A row's samples with the predictor applied. */
  function encodeRow(cells: number[], stride: number): Buffer {
    const highFirst = cells.map((cell) => {
      const bytes = Buffer.alloc(8);
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      if (type === 'float16') view.setFloat16(0, cell);
      else if (type === 'float32') view.setFloat32(0, cell);
      else if (type === 'float64') view.setFloat64(0, cell);
      else view.setBigUint64(0, BigInt.asUintN(bits, BigInt(cell)) << BigInt(64 - bits));
      return bytes.subarray(0, size);
    });
    if (predictor === 3) {
      const planes = Buffer.concat(Array.from({ length: size }, (_, b) => Buffer.from(highFirst.map((s) => s[b]!))));
      return Buffer.from(planes.map((byte, i) => (i < stride ? byte : byte - planes[i - stride]!)));
    }
    const integers = highFirst.map((bytes) => BigInt(`0x${bytes.toString('hex')}`));
    const differences = integers.map((value, i) =>
      predictor === 2 && i >= stride ? value - integers[i - stride]! : value,
    );
    return Buffer.concat(
      differences.map((difference) => {
        const hex = BigInt.asUintN(bits, difference)
          .toString(16)
          .padStart(2 * size, '0');
        return littleEndian ? Buffer.from(hex, 'hex').reverse() : Buffer.from(hex, 'hex');
      }),
    );
  }

  function compress(bytes: Buffer): Buffer {
    if (options.compression === 'lzw') return encodeLzw(bytes);
    if (options.compression === 'zstd') return zstdCompressSync(bytes);
    if (options.compression === 'packbits') return encodePackBits(bytes);
    return options.compression === 'none' ? bytes : deflateSync(bytes);
  }

  const long = big ? LONG.big : LONG.classic;
  const kind = type.startsWith('f') ? 3 : type.startsWith('u') ? 1 : 2;
  const each = (value: number) => bands.map(() => value);
  const metadata = [
    ...(options.scale === undefined ? [] : [['SCALE', 'scale', options.scale]]),
    ...(options.offset === undefined ? [] : [['OFFSET', 'offset', options.offset]]),
  ].map(([name, role, value]) => `<Item name="${name}" sample="0" role="${role}">${value}</Item>`);
  const cell = options.cell ?? 0.5;
  const step = southUp ? cell : -cell;
  const edge = southUp ? 5 - cell * rows : 5;
  const fields: [tag: number, type: number, values: number[] | string][] = [
    [256, SHORT, [columns]],
    [257, SHORT, [rows]],
    [258, SHORT, each(bits)],
    [259, SHORT, [COMPRESSIONS[options.compression]]],
    [262, SHORT, [1]],
    ...(tiled ? [] : ([[273, long, blocks.map(() => 0)]] as [number, number, number[]][])),
    [277, SHORT, [bands.length]],
    ...(tiled
      ? []
      : ([
          [278, SHORT, [block.rows]],
          [279, long, blocks.map((b) => b.length)],
        ] as [number, number, number[]][])),
    [284, SHORT, [planar ? 2 : 1]],
    ...(predictor === 1 ? [] : ([[317, SHORT, [predictor]]] as [number, number, number[]][])),
    ...(tiled
      ? ([
          [322, SHORT, [block.columns]],
          [323, SHORT, [block.rows]],
          [324, long, blocks.map(() => 0)],
          [325, long, blocks.map((b) => b.length)],
        ] as [number, number, number[]][])
      : []),
    [339, SHORT, each(kind)],
    [34264, DOUBLE, [cell, 0, 0, 10, 0, step, 0, edge, 0, 0, 0, 0, 0, 0, 0, 1]],
    [34735, SHORT, [1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326]],
    ...(metadata.length > 0
      ? ([[42112, ASCII, `<GDALMetadata>${metadata.join('')}</GDALMetadata>\0`]] as [number, number, string][])
      : []),
    ...(options.nodata === undefined ? [] : ([[42113, ASCII, `${options.nodata}\0`]] as [number, number, string][])),
  ];

  // Header, blocks, then the directory, followed by the values that do not fit into it.
  const header = big ? 16 : 8;
  const starts: number[] = [];
  let at = header;
  for (const bytes of blocks) {
    starts.push(at);
    at += bytes.length + (bytes.length % 2);
  }
  const directoryAt = at;
  const entry = big ? 20 : 12;
  const inline = big ? 8 : 4;
  let beyond = directoryAt + (big ? 8 : 2) + entry * fields.length + inline;
  const file = Buffer.alloc(beyond + fields.reduce((sum, [, , values]) => sum + 8 * values.length + 8, 0));
  const put = (offset: number, bytes: number, value: number | bigint) => {
    const hex = BigInt(value)
      .toString(16)
      .padStart(2 * bytes, '0');
    const written = Buffer.from(hex, 'hex');
    (littleEndian ? written.reverse() : written).copy(file, offset);
  };
  file.write(littleEndian ? 'II' : 'MM', 0, 'latin1');
  put(2, 2, big ? 43 : 42);
  if (big) {
    put(4, 2, 8);
    put(8, 8, directoryAt);
  } else put(4, 4, directoryAt);
  blocks.forEach((bytes, i) => void bytes.copy(file, starts[i]!));
  put(directoryAt, big ? 8 : 2, fields.length);
  fields.forEach(([tag, fieldType, given], i) => {
    const values = tag === 273 || tag === 324 ? starts : given;
    const offset = directoryAt + (big ? 8 : 2) + entry * i;
    const bytes = { [ASCII]: 1, [SHORT]: 2, [LONG.classic]: 4, [DOUBLE]: 8, [LONG.big]: 8 }[fieldType]!;
    put(offset, 2, tag);
    put(offset + 2, 2, fieldType);
    put(offset + 4, big ? 8 : 4, values.length);
    let to = offset + (big ? 12 : 8);
    if (values.length * bytes > inline) {
      put(to, inline, beyond);
      to = beyond;
      beyond += values.length * bytes + ((values.length * bytes) % 2);
    }
    if (typeof values === 'string') file.write(values, to, 'latin1');
    else {
      for (const value of values) {
        if (fieldType === DOUBLE) {
          if (littleEndian) file.writeDoubleLE(value, to);
          else file.writeDoubleBE(value, to);
        } else put(to, bytes, value);
        to += bytes;
      }
    }
  });
  return file.subarray(0, beyond);
}

/** TIFF's LZW as in the specification, with a table of strings. */
export function encodeLzw(bytes: Uint8Array): Buffer {
  const out: number[] = [];
  let bits = 0n;
  let held = 0;
  let width = 9;
  const write = (code: number) => {
    bits = (bits << BigInt(width)) | BigInt(code);
    held += width;
    while (held >= 8) {
      out.push(Number((bits >> BigInt(held - 8)) & 255n));
      held -= 8;
    }
    bits &= (1n << BigInt(held)) - 1n;
  };
  let table = new Map<string, number>();
  const clear = () => {
    write(256);
    width = 9;
    table = new Map(Array.from({ length: 256 }, (_, i) => [String.fromCharCode(i), i]));
  };
  clear();
  let next = 258;
  let omega = '';
  for (const byte of bytes) {
    const longer = omega + String.fromCharCode(byte);
    if (table.has(longer)) {
      omega = longer;
      continue;
    }
    write(table.get(omega)!);
    table.set(longer, next++);
    if (next === 512) width = 10;
    if (next === 1024) width = 11;
    if (next === 2048) width = 12;
    if (next === 4095) {
      clear();
      next = 258;
    }
    omega = String.fromCharCode(byte);
  }
  if (omega !== '') write(table.get(omega)!);
  write(257);
  if (held > 0) out.push(Number((bits << BigInt(8 - held)) & 255n));
  return Buffer.from(out);
}

/** Literal runs only. */
function encodePackBits(bytes: Uint8Array): Buffer {
  const out: number[] = [];
  for (let i = 0; i < bytes.length; i += 128) {
    const run = bytes.subarray(i, i + 128);
    out.push(run.length - 1, ...run);
  }
  return Buffer.from(out);
}
