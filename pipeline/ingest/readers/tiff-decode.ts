import { endianness } from 'node:os';
import { inflateSync, zstdDecompressSync } from 'node:zlib';
import { decodeLzw } from './lzw.ts';

/** TIFF's numbers of the supported compressions. */
const NONE = 1;
const LZW = 5;
const DEFLATE = [8, 32_946];
const ZSTD = 50_000;

const HOST_LITTLE_ENDIAN = endianness() === 'LE';

/** How the cells of a block are coded, by the values of TIFF's tags. */
export interface Coding {
  compression: number;
  /** 1 none, 2 differences of integers, 3 differences of the bytes of floats. */
  predictor: number;
  /** 1 unsigned, 2 signed, 3 float. */
  format: number;
  /** Bits of a sample: 8, 16, 32 or 64. */
  bits: number;
  littleEndian: boolean;
  /** Number of interleaved samples per cell: the number of bands, or 1 if bands are stored separately. */
  samples: number;
  /** Cells per row of the block. */
  columns: number;
}

export type Samples =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigUint64Array
  | BigInt64Array
  | Float16Array
  | Float32Array
  | Float64Array;

/** Whether `decompress` and `decodeRows` support the coding. */
export function isDecodable({ compression, predictor, format, bits }: Coding): boolean {
  const isSupported = [NONE, LZW, ...DEFLATE, ZSTD].includes(compression);
  if (!isSupported || ![8, 16, 32, 64].includes(bits)) return false;
  if (format === 3) return bits >= 16 && predictor >= 1 && predictor <= 3;
  return (format === 1 || format === 2) && (predictor === 1 || predictor === 2);
}

export function isCompressed({ compression }: Coding): boolean {
  return compression !== NONE;
}

/** Bytes per row of a block. */
export function rowBytes({ bits, samples, columns }: Coding): number {
  return (bits / 8) * samples * columns;
}

/**
 * A block's decompressed bytes: at least `needed`, at most `full`.
 * @throws Error if there are fewer or more, or the data is damaged
 */
export function decompress(block: Uint8Array, compression: number, needed: number, full: number): Uint8Array {
  // One byte more than needed, because the decoder allocates another chunk once one is full.
  const options = { chunkSize: Math.max(64, full + 1), maxOutputLength: Math.max(64, full + 1) };
  let bytes = block;
  if (compression === LZW) bytes = decodeLzw(block, needed);
  else if (DEFLATE.includes(compression)) bytes = inflateSync(block, options);
  else if (compression === ZSTD) bytes = zstdDecompressSync(block, options);
  if (bytes.length < needed) throw new Error(`a block of ${bytes.length} bytes instead of ${needed}`);
  return bytes;
}

/**
 * Decodes complete rows of samples from decompressed bytes, in place: undoes the predictor and converts to this
 * machine's byte order.
 */
export function decodeRows(bytes: Uint8Array, rows: number, coding: Coding): Samples {
  const size = coding.bits / 8;
  const length = rows * rowBytes(coding);
  const aligned = bytes.byteOffset % size === 0 ? bytes : bytes.slice(0, length);
  const used = Buffer.from(aligned.buffer as ArrayBuffer, aligned.byteOffset, length);
  const perRow = coding.columns * coding.samples;
  if (coding.predictor === 3) {
    sumFloatBytes(used, rows, perRow, size, coding.samples);
    if (size !== 4) orderBytes(used, size, false);
  } else {
    orderBytes(used, size, coding.littleEndian);
    if (coding.predictor === 2) sumDifferences(viewAs(used, 1, coding.bits), rows, perRow, coding.samples);
  }
  return viewAs(used, coding.format, coding.bits);
}

/** Converts samples to this machine's byte order. */
function orderBytes(bytes: Buffer, size: number, littleEndian: boolean): void {
  if (littleEndian === HOST_LITTLE_ENDIAN) return;
  if (size === 2) bytes.swap16();
  if (size === 4) bytes.swap32();
  if (size === 8) bytes.swap64();
}

function viewAs(bytes: Buffer, format: number, bits: number): Samples {
  const extent = [bytes.buffer as ArrayBuffer, bytes.byteOffset, (bytes.length * 8) / bits] as const;
  if (format === 3) {
    if (bits === 16) return new Float16Array(...extent);
    return bits === 32 ? new Float32Array(...extent) : new Float64Array(...extent);
  }
  const signed = format === 2;
  if (bits === 8) return signed ? new Int8Array(...extent) : new Uint8Array(...extent);
  if (bits === 16) return signed ? new Int16Array(...extent) : new Uint16Array(...extent);
  if (bits === 32) return signed ? new Int32Array(...extent) : new Uint32Array(...extent);
  return signed ? new BigInt64Array(...extent) : new BigUint64Array(...extent);
}

/**
 * Predictor 2: every sample except a row's first is the difference from the previous cell's, modulo 2^bits (TIFF 6.0,
 * 14).
 */
function sumDifferences(samples: Samples, rows: number, perRow: number, stride: number): void {
  if (samples instanceof BigUint64Array) {
    for (let row = 0; row < rows; row++) {
      for (let i = row * perRow + stride; i < (row + 1) * perRow; i++) samples[i]! += samples[i - stride]!;
    }
    return;
  }
  const numbers = samples as Uint8Array | Uint16Array | Uint32Array;
  for (let row = 0; row < rows; row++) {
    for (let i = row * perRow + stride; i < (row + 1) * perRow; i++) numbers[i]! += numbers[i - stride]!;
  }
}

/**
 * Predictor 3: a row contains the highest bytes of all samples, then the next highest and so on, each byte as the
 * difference from the previous one (Adobe Photoshop TIFF Technical Note 3). The result has 4-byte samples in this
 * machine's order, others with the highest byte first.
 */
function sumFloatBytes(bytes: Buffer, rows: number, perRow: number, size: number, stride: number): void {
  const rowLength = perRow * size;
  const sums = new Uint8Array(rowLength);
  const words = size === 4 ? new Uint32Array(bytes.buffer, bytes.byteOffset, rows * perRow) : null;
  for (let row = 0; row < rows; row++) {
    const start = row * rowLength;
    if (stride === 1) {
      let sum = 0;
      for (let i = 0; i < rowLength; i++) {
        sum = (sum + bytes[start + i]!) | 0;
        sums[i] = sum;
      }
    } else {
      for (let i = 0; i < rowLength; i++) sums[i] = bytes[start + i]! + (i < stride ? 0 : sums[i - stride]!);
    }
    if (words) {
      // The most common case, 32-bit floats: four bytes at a time.
      const to = row * perRow;
      for (let i = 0; i < perRow; i++) {
        const high = (sums[i]! << 24) | (sums[perRow + i]! << 16);
        words[to + i] = high | (sums[2 * perRow + i]! << 8) | sums[3 * perRow + i]!;
      }
      continue;
    }
    for (let i = 0; i < perRow; i++) {
      for (let b = 0; b < size; b++) bytes[start + i * size + b] = sums[b * perRow + i]!;
    }
  }
}
