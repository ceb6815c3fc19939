import { closeSync, openSync, readSync } from 'node:fs';
import type { Values, Window } from '../../numerics/grid.ts';
import { type Coding, decodeRows, decompress, isCompressed, rowBytes, type Samples } from './tiff-decode.ts';

/** What turns a file's samples into values. */
export interface Meaning {
  /** The sample of missing cells, in the file's own number type; null where there is none. */
  missing: number | null;
  /** value = scale × sample + offset */
  scale: number;
  offset: number;
  /** Values as 64-bit floats; else 32 bits hold every one exactly. */
  wide: boolean;
}

/** One band of a TIFF as its blocks lie in the file. Plain data, so that a thread can be handed it. */
export interface Blocks {
  file: string;
  rows: number;
  columns: number;
  coding: Coding;
  /** Rows of a block (tile or strip); its columns are the coding's. */
  blockRows: number;
  /** Where blocks begin in the file, row of blocks after row of blocks, and their bytes: 0 for one left out. */
  starts: Float64Array;
  bytes: Float64Array;
  /** The band's place among a cell's samples. */
  sample: number;
  /** The file's first row is the southernmost. */
  southUp: boolean;
  meaning: Meaning;
}

/** Reads windows of rows counted from the north; one thread's, for scratch space is kept between calls. */
export interface BlockReader {
  /** Fills `values`, one for every cell of the window. @throws Error where a block is damaged or cut short */
  read(window: Window, values: Values): void;
  close(): void;
}

export function openBlocks(blocks: Blocks): BlockReader {
  const { coding, blockRows, starts, bytes, meaning } = blocks;
  const perRow = rowBytes(coding);
  const handle = openSync(blocks.file, 'r');
  let scratch = Buffer.alloc(0);

  /** Bytes of the file; good until the next call. */
  function readBytes(start: number, length: number): Buffer {
    if (scratch.length < length) scratch = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const got = readSync(handle, scratch, done, length - done, start + done);
      if (got === 0) throw new Error(`a block cut short after ${done} of ${length} bytes`);
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
    const whole = decompress(coded, coding.compression, end * perRow, blockRows * perRow);
    return decodeRows(whole.subarray(from * perRow), end - from, coding);
  }

  return {
    read(window, values) {
      for (const { block, from, to, west, east, placeOf } of blocksWithin(blocks, window)) {
        if (bytes[block] === 0) continue;
        const samples = readSamples(block, from % blockRows, (from % blockRows) + to - from);
        for (let row = from; row < to; row++) {
          const cell = (row - from) * coding.columns + (west % coding.columns);
          const sample = cell * coding.samples + blocks.sample;
          takeValues(samples, sample, coding.samples, values, placeOf(row), east - west, meaning);
        }
        if (isCompressed(coding)) release(samples);
      }
      fillAbsent(blocks, window, values);
    },
    close: () => closeSync(handle),
  };
}

/** Part of a window that lies in one block: rows `from` to `to`, columns `west` to `east` of the file. */
interface Part {
  block: number;
  from: number;
  to: number;
  west: number;
  east: number;
  /** Where among the window's values a row of the part begins. */
  placeOf(row: number): number;
}

/** A window block by block. */
function* blocksWithin(blocks: Blocks, window: Window): Generator<Part> {
  const { blockRows, southUp } = blocks;
  const blockColumns = blocks.coding.columns;
  const across = Math.ceil(blocks.columns / blockColumns);
  // From here on rows are the file's.
  const first = southUp ? blocks.rows - window.row - window.rows : window.row;
  const end = first + window.rows;
  const endColumn = window.column + window.columns;
  for (let y = Math.floor(first / blockRows); y * blockRows < end; y++) {
    const [from, to] = [Math.max(first, y * blockRows), Math.min(end, (y + 1) * blockRows)];
    for (let x = Math.floor(window.column / blockColumns); x * blockColumns < endColumn; x++) {
      const [west, east] = [Math.max(window.column, x * blockColumns), Math.min(endColumn, (x + 1) * blockColumns)];
      const placeOf = (row: number) => (southUp ? end - 1 - row : row - first) * window.columns + west - window.column;
      yield { block: y * across + x, from, to, west, east, placeOf };
    }
  }
}

/** Blocks that a sparse file leaves out are missing throughout, or 0 where nothing stands for missing cells. */
export function fillAbsent(blocks: Blocks, window: Window, values: Values): void {
  const { missing, offset } = blocks.meaning;
  for (const { block, from, to, west, east, placeOf } of blocksWithin(blocks, window)) {
    if (blocks.bytes[block] !== 0) continue;
    for (let row = from; row < to; row++)
      values.fill(missing === null ? offset : Number.NaN, placeOf(row), placeOf(row) + east - west);
  }
}

/**
 * Gives a decoded block's memory back at once: left to the collector, which counts what lies outside its heap only
 * roughly, blocks pile up to tens of megabytes in every thread. Small ones lie in a pool with others.
 */
function release(samples: Samples): void {
  if (samples.buffer.byteLength > 2 * Buffer.poolSize) (samples.buffer as ArrayBuffer).transfer(0);
}

/** `count` samples, every `stride`th from `from` on, as values from `at` on. */
export function takeValues(
  samples: Samples,
  from: number,
  stride: number,
  values: Values,
  at: number,
  count: number,
  { missing, scale, offset }: Meaning,
): void {
  const plain = scale === 1 && offset === 0;
  if (samples instanceof BigInt64Array || samples instanceof BigUint64Array) {
    for (let i = 0; i < count; i++) {
      const sample = Number(samples[from + i * stride]);
      values[at + i] = sample === missing ? Number.NaN : scale * sample + offset;
    }
  } else if (plain && stride === 1 && (missing === null || Number.isNaN(missing))) {
    values.set(samples.subarray(from, from + count), at);
  } else if (plain) {
    for (let i = 0; i < count; i++) {
      const sample = samples[from + i * stride]!;
      values[at + i] = sample === missing ? Number.NaN : sample;
    }
  } else {
    for (let i = 0; i < count; i++) {
      const sample = samples[from + i * stride]!;
      values[at + i] = sample === missing ? Number.NaN : scale * sample + offset;
    }
  }
}
