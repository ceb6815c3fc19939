import { closeSync, openSync, readSync } from 'node:fs';
import type { GridWindow, RasterValues } from '../../lib/numerics/grid.ts';
import { type Coding, decodeRows, decompress, isCompressed, rowBytes, type Samples } from './tiff-decode.ts';

/** How a file's samples are converted to values. */
export interface Conversion {
  /** The samples that mark missing cells, from the smallest to the largest, or NaN; null if there are none. */
  missing: readonly [least: number, most: number] | null;
  /** value = scale × sample + offset */
  scale: number;
  offset: number;
  /** Whether values need 64-bit floats; otherwise 32 bits represent them exactly. */
  wide: boolean;
}

/** The blocks of one band of a TIFF. Plain data, so that it can be passed to threads. */
export interface Blocks {
  file: string;
  rows: number;
  columns: number;
  coding: Coding;
  /** Rows of a block (tile or strip); its columns are the coding's. */
  blockRows: number;
  /** Offsets of the blocks in the file, in row-major order, and their lengths: 0 for an absent block. */
  starts: Float64Array;
  bytes: Float64Array;
  /** Index of the band among a cell's samples. */
  sample: number;
  /** Whether the file's first row is the southernmost. */
  southUp: boolean;
  conversion: Conversion;
}

/** Reads windows whose rows are counted from the north. For one thread only: scratch space is reused between calls. */
export interface BlockReader {
  /** Fills `values`, one for each cell of the window. @throws Error if a block is damaged or truncated */
  read(window: GridWindow, values: RasterValues): void;
  close(): void;
}

export function openBlocks(blocks: Blocks): BlockReader {
  const { coding, blockRows, starts, bytes, conversion } = blocks;
  const perRow = rowBytes(coding);
  const handle = openSync(blocks.file, 'r');
  let scratch = Buffer.alloc(0);

  /** Bytes of the file, valid until the next call. */
  function readBytes(start: number, length: number): Buffer {
    if (scratch.length < length) scratch = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const got = readSync(handle, scratch, done, length - done, start + done);
      if (got === 0) throw new Error(`a block truncated after ${done} of ${length} bytes`);
      done += got;
    }
    return scratch.subarray(0, length);
  }

  /** Samples of rows `from` to `end` of a block. */
  function readSamples(block: number, from: number, end: number): Samples {
    if (!isCompressed(coding)) {
      return decodeRows(readBytes(starts[block]! + from * perRow, (end - from) * perRow), end - from, coding);
    }
    const coded = readBytes(starts[block]!, bytes[block]!);
    const decoded = decompress(coded, coding.compression, end * perRow, blockRows * perRow);
    return decodeRows(decoded.subarray(from * perRow), end - from, coding);
  }

  return {
    read(window, values) {
      for (const { block, from, to, west, east, rowStart } of blocksWithin(blocks, window)) {
        if (bytes[block] === 0) continue;
        const samples = readSamples(block, from % blockRows, (from % blockRows) + to - from);
        for (let row = from; row < to; row++) {
          const cell = (row - from) * coding.columns + (west % coding.columns);
          const sample = cell * coding.samples + blocks.sample;
          takeValues(samples, sample, coding.samples, values, rowStart(row), east - west, conversion);
        }
        if (isCompressed(coding)) release(samples);
      }
      fillAbsent(blocks, window, values);
    },
    close: () => closeSync(handle),
  };
}

/** The part of a window inside one block: rows `from` to `to`, columns `west` to `east` of the file, ends excluded. */
interface Part {
  block: number;
  from: number;
  to: number;
  west: number;
  east: number;
  /** Index among the window's values at which a row of the part begins. */
  rowStart(row: number): number;
}

/** A window block by block. */
function* blocksWithin(blocks: Blocks, window: GridWindow): Generator<Part> {
  const { blockRows, southUp } = blocks;
  const blockColumns = blocks.coding.columns;
  const across = Math.ceil(blocks.columns / blockColumns);
  // Below, rows are those of the file.
  const first = southUp ? blocks.rows - window.row - window.rows : window.row;
  const end = first + window.rows;
  const endColumn = window.column + window.columns;
  for (let y = Math.floor(first / blockRows); y * blockRows < end; y++) {
    const [from, to] = [Math.max(first, y * blockRows), Math.min(end, (y + 1) * blockRows)];
    for (let x = Math.floor(window.column / blockColumns); x * blockColumns < endColumn; x++) {
      const [west, east] = [Math.max(window.column, x * blockColumns), Math.min(endColumn, (x + 1) * blockColumns)];
      const rowStart = (row: number) => (southUp ? end - 1 - row : row - first) * window.columns + west - window.column;
      yield { block: y * across + x, from, to, west, east, rowStart };
    }
  }
}

/** Fills blocks that are absent from a sparse file: missing, or samples of 0 if no value marks missing cells. */
export function fillAbsent(blocks: Blocks, window: GridWindow, values: RasterValues): void {
  const { missing, offset } = blocks.conversion;
  for (const { block, from, to, west, east, rowStart } of blocksWithin(blocks, window)) {
    if (blocks.bytes[block] !== 0) continue;
    for (let row = from; row < to; row++)
      values.fill(missing === null ? offset : Number.NaN, rowStart(row), rowStart(row) + east - west);
  }
}

/**
 * Frees a decoded block's memory at once: the garbage collector accounts for memory outside its heap only roughly, so
 * blocks would accumulate to tens of megabytes in every thread. Small blocks share a pool and are not freed.
 */
function release(samples: Samples): void {
  if (samples.buffer.byteLength > 2 * Buffer.poolSize) (samples.buffer as ArrayBuffer).transfer(0);
}

/** Converts `count` samples, every `stride`th starting at `from`, to values starting at `at`. */
export function takeValues(
  samples: Samples,
  from: number,
  stride: number,
  values: RasterValues,
  start: number,
  count: number,
  { missing, scale, offset }: Conversion,
): void {
  const plain = scale === 1 && offset === 0;
  const [least, most] = missing ?? [Number.NaN, Number.NaN];
  if (samples instanceof BigInt64Array || samples instanceof BigUint64Array) {
    for (let i = 0; i < count; i++) {
      const sample = Number(samples[from + i * stride]);
      values[start + i] = sample >= least && sample <= most ? Number.NaN : scale * sample + offset;
    }
  } else if (plain && stride === 1 && Number.isNaN(least)) {
    values.set(samples.subarray(from, from + count), start);
  } else if (plain) {
    for (let i = 0; i < count; i++) {
      const sample = samples[from + i * stride]!;
      values[start + i] = sample >= least && sample <= most ? Number.NaN : sample;
    }
  } else {
    for (let i = 0; i < count; i++) {
      const sample = samples[from + i * stride]!;
      values[start + i] = sample >= least && sample <= most ? Number.NaN : scale * sample + offset;
    }
  }
}
