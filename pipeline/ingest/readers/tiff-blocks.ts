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
  needsFloat64: boolean;
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
  blockOffsets: Float64Array;
  blockLengths: Float64Array;
  /** Index of the band among a cell's samples. */
  bandIndex: number;
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
  const { coding, blockRows, blockOffsets, blockLengths, conversion } = blocks;
  const bytesPerRow = rowBytes(coding);
  const handle = openSync(blocks.file, 'r');
  let buffer = Buffer.alloc(0);

  /** Bytes of the file, valid until the next call. */
  function readBytes(start: number, length: number): Buffer {
    if (buffer.length < length) buffer = Buffer.alloc(length);
    let bytesDone = 0;
    while (bytesDone < length) {
      const bytesRead = readSync(handle, buffer, bytesDone, length - bytesDone, start + bytesDone);
      if (bytesRead === 0) throw new Error(`a block truncated after ${bytesDone} of ${length} bytes`);
      bytesDone += bytesRead;
    }
    return buffer.subarray(0, length);
  }

  /** Samples of rows `firstRow` to `endRow` of a block. */
  function readSamples(block: number, firstRow: number, endRow: number): Samples {
    const rows = endRow - firstRow;
    if (!isCompressed(coding)) {
      const stored = readBytes(blockOffsets[block]! + firstRow * bytesPerRow, rows * bytesPerRow);
      return decodeRows(stored, rows, coding);
    }
    const compressed = readBytes(blockOffsets[block]!, blockLengths[block]!);
    const decompressed = decompress(compressed, coding.compression, endRow * bytesPerRow, blockRows * bytesPerRow);
    return decodeRows(decompressed.subarray(firstRow * bytesPerRow), rows, coding);
  }

  return {
    read(window, values) {
      for (const { block, firstRow, endRow, firstColumn, endColumn, rowStart } of blocksWithin(blocks, window)) {
        if (blockLengths[block] === 0) continue;
        const samples = readSamples(block, firstRow % blockRows, (firstRow % blockRows) + endRow - firstRow);
        for (let row = firstRow; row < endRow; row++) {
          const cell = (row - firstRow) * coding.columns + (firstColumn % coding.columns);
          const firstSample = cell * coding.samples + blocks.bandIndex;
          convertSamples(
            samples,
            firstSample,
            coding.samples,
            values,
            rowStart(row),
            endColumn - firstColumn,
            conversion,
          );
        }
        if (isCompressed(coding)) freeMemory(samples);
      }
      fillAbsent(blocks, window, values);
    },
    close: () => closeSync(handle),
  };
}

/** The part of a window inside one block, as rows and columns of the file, ends excluded. */
interface BlockPart {
  block: number;
  firstRow: number;
  endRow: number;
  firstColumn: number;
  endColumn: number;
  /** Index among the window's values at which a row of the part begins. */
  rowStart(row: number): number;
}

/** A window block by block. */
function* blocksWithin(blocks: Blocks, window: GridWindow): Generator<BlockPart> {
  const { blockRows, southUp } = blocks;
  const blockColumns = blocks.coding.columns;
  const blocksAcross = Math.ceil(blocks.columns / blockColumns);
  // Below, rows are those of the file.
  const windowFirst = southUp ? blocks.rows - window.row - window.rows : window.row;
  const windowEnd = windowFirst + window.rows;
  const windowEndColumn = window.column + window.columns;
  for (let blockRow = Math.floor(windowFirst / blockRows); blockRow * blockRows < windowEnd; blockRow++) {
    const firstRow = Math.max(windowFirst, blockRow * blockRows);
    const endRow = Math.min(windowEnd, (blockRow + 1) * blockRows);
    const westernBlock = Math.floor(window.column / blockColumns);
    for (let blockColumn = westernBlock; blockColumn * blockColumns < windowEndColumn; blockColumn++) {
      const firstColumn = Math.max(window.column, blockColumn * blockColumns);
      const endColumn = Math.min(windowEndColumn, (blockColumn + 1) * blockColumns);
      const rowStart = (row: number) =>
        (southUp ? windowEnd - 1 - row : row - windowFirst) * window.columns + firstColumn - window.column;
      yield { block: blockRow * blocksAcross + blockColumn, firstRow, endRow, firstColumn, endColumn, rowStart };
    }
  }
}

/** Fills blocks that are absent from a sparse file: missing, or samples of 0 if no value marks missing cells. */
export function fillAbsent(blocks: Blocks, window: GridWindow, values: RasterValues): void {
  const { missing, offset } = blocks.conversion;
  for (const { block, firstRow, endRow, firstColumn, endColumn, rowStart } of blocksWithin(blocks, window)) {
    if (blocks.blockLengths[block] !== 0) continue;
    for (let row = firstRow; row < endRow; row++)
      values.fill(missing === null ? offset : Number.NaN, rowStart(row), rowStart(row) + endColumn - firstColumn);
  }
}

/**
 * Frees a decoded block's memory at once: the garbage collector accounts for memory outside its heap only roughly, so
 * blocks would accumulate to tens of megabytes in every thread. Small blocks share a pool and are not freed.
 */
function freeMemory(samples: Samples): void {
  if (samples.buffer.byteLength > 2 * Buffer.poolSize) (samples.buffer as ArrayBuffer).transfer(0);
}

/** Converts `count` samples, every `stride`th starting at `firstSample`, to values starting at `firstValue`. */
export function convertSamples(
  samples: Samples,
  firstSample: number,
  stride: number,
  values: RasterValues,
  firstValue: number,
  count: number,
  { missing, scale, offset }: Conversion,
): void {
  const [least, most] = missing ?? [Number.NaN, Number.NaN];
  const isCopy = scale === 1 && offset === 0 && stride === 1 && Number.isNaN(least);
  if (isCopy && !(samples instanceof BigInt64Array || samples instanceof BigUint64Array)) {
    values.set(samples.subarray(firstSample, firstSample + count), firstValue);
    return;
  }
  for (let i = 0; i < count; i++) {
    const sample = Number(samples[firstSample + i * stride]);
    values[firstValue + i] = sample >= least && sample <= most ? Number.NaN : scale * sample + offset;
  }
}
