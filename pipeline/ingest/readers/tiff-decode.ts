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

export type Samples = NodeJS.TypedArray;

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
 * A block's decompressed bytes: at least `neededLength`, at most `fullLength`.
 * @throws Error if there are fewer or more, or the data is damaged
 */
export function decompress(
  block: Uint8Array,
  compression: number,
  neededLength: number,
  fullLength: number,
): Uint8Array {
  // One byte more than needed, because the decoder allocates another chunk once one is full.
  const options = { chunkSize: Math.max(64, fullLength + 1), maxOutputLength: Math.max(64, fullLength + 1) };
  let bytes = block;
  if (compression === LZW) bytes = decodeLzw(block, neededLength);
  else if (DEFLATE.includes(compression)) bytes = inflateSync(block, options);
  else if (compression === ZSTD) bytes = zstdDecompressSync(block, options);
  if (bytes.length < neededLength) throw new Error(`a block of ${bytes.length} bytes instead of ${neededLength}`);
  return bytes;
}

/**
 * Decodes complete rows of samples from decompressed bytes, in place: undoes the predictor and converts to this
 * machine's byte order.
 */
export function decodeRows(bytes: Uint8Array, rows: number, coding: Coding): Samples {
  const sampleBytes = coding.bits / 8;
  const length = rows * rowBytes(coding);
  const aligned = bytes.byteOffset % sampleBytes === 0 ? bytes : bytes.slice(0, length);
  const usedBytes = Buffer.from(aligned.buffer as ArrayBuffer, aligned.byteOffset, length);
  const samplesPerRow = coding.columns * coding.samples;
  if (coding.predictor === 3) {
    sumFloatBytes(usedBytes, rows, samplesPerRow, sampleBytes, coding.samples);
    if (sampleBytes !== 4) toHostByteOrder(usedBytes, sampleBytes, false);
  } else {
    toHostByteOrder(usedBytes, sampleBytes, coding.littleEndian);
    if (coding.predictor === 2) sumDifferences(viewAs(usedBytes, 1, coding.bits), rows, samplesPerRow, coding.samples);
  }
  return viewAs(usedBytes, coding.format, coding.bits);
}

/** Converts samples to this machine's byte order. */
function toHostByteOrder(bytes: Buffer, sampleBytes: number, littleEndian: boolean): void {
  if (littleEndian === HOST_LITTLE_ENDIAN) return;
  if (sampleBytes === 2) bytes.swap16();
  if (sampleBytes === 4) bytes.swap32();
  if (sampleBytes === 8) bytes.swap64();
}

function viewAs(bytes: Buffer, format: number, bits: number): Samples {
  const viewArguments = [bytes.buffer as ArrayBuffer, bytes.byteOffset, (bytes.length * 8) / bits] as const;
  if (format === 3) {
    if (bits === 16) return new Float16Array(...viewArguments);
    return bits === 32 ? new Float32Array(...viewArguments) : new Float64Array(...viewArguments);
  }
  const isSigned = format === 2;
  if (bits === 8) return isSigned ? new Int8Array(...viewArguments) : new Uint8Array(...viewArguments);
  if (bits === 16) return isSigned ? new Int16Array(...viewArguments) : new Uint16Array(...viewArguments);
  if (bits === 32) return isSigned ? new Int32Array(...viewArguments) : new Uint32Array(...viewArguments);
  return isSigned ? new BigInt64Array(...viewArguments) : new BigUint64Array(...viewArguments);
}

/**
 * Predictor 2: every sample except a row's first is the difference from the previous cell's, modulo 2^bits (TIFF 6.0,
 * 14).
 */
function sumDifferences(samples: Samples, rows: number, samplesPerRow: number, stride: number): void {
  // Bigints, of 64 bits, are added alike.
  const numbers = samples as Uint8Array | Uint16Array | Uint32Array;
  for (let row = 0; row < rows; row++) {
    for (let i = row * samplesPerRow + stride; i < (row + 1) * samplesPerRow; i++) numbers[i]! += numbers[i - stride]!;
  }
}

/**
 * Predictor 3: a row contains the highest bytes of all samples, then the next highest and so on, each byte as the
 * difference from the previous one (Adobe Photoshop TIFF Technical Note 3). The result has 4-byte samples in this
 * machine's order, others with the highest byte first.
 */
function sumFloatBytes(bytes: Buffer, rows: number, samplesPerRow: number, sampleBytes: number, stride: number): void {
  const rowLength = samplesPerRow * sampleBytes;
  const sums = new Uint8Array(rowLength);
  const words = sampleBytes === 4 ? new Uint32Array(bytes.buffer, bytes.byteOffset, rows * samplesPerRow) : null;
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
      const firstWord = row * samplesPerRow;
      for (let i = 0; i < samplesPerRow; i++) {
        const high = (sums[i]! << 24) | (sums[samplesPerRow + i]! << 16);
        words[firstWord + i] = high | (sums[2 * samplesPerRow + i]! << 8) | sums[3 * samplesPerRow + i]!;
      }
      continue;
    }
    for (let i = 0; i < samplesPerRow; i++) {
      for (let byteIndex = 0; byteIndex < sampleBytes; byteIndex++)
        bytes[start + i * sampleBytes + byteIndex] = sums[byteIndex * samplesPerRow + i]!;
    }
  }
}
