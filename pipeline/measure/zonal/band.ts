import { openDescribedRaster } from '../../ingest/readers/geotiff.ts';
import type { RasterDescription } from '../../ingest/readers/geotiff-description.ts';
import { readNearest } from '../../ingest/readers/nearest.ts';
import { type BlockSize, cutTiles } from '../../ingest/readers/windows.ts';
import { BadInput, type BadInputDetails, badInputDetails } from '../../lib/bad-input.ts';
import { type Grid, type GridWindow, isSameGrid, type RasterValues } from '../../lib/numerics/grid.ts';
import { type Coverage, createCover } from './coverage.ts';
import type { GridOutline } from './outline.ts';
import { SUMS_PER_ROW, sumRows } from './sums.ts';

/** One pass over rasters, which reads each cell once. Plain data, so that it can be sent to threads. */
export interface PassTask {
  /** That of the weights if there are any: a raster on another grid is read at the centres of its cells. */
  grid: Grid;
  layers: RasterDescription[];
  weights: RasterDescription | null;
  outlines: GridOutline[];
  /** The block size of the pass: that of all rasters, or multiples of it. */
  blockSize: BlockSize;
}

/** A band's sums, or the error, in a form that threads can send. */
export type BandAnswer =
  | { sums: Float64Array<ArrayBuffer> }
  | { message: string; complaint: BadInputDetails | null; code?: string };

/** Number of rows that an outline and a band have in common; 0 or negative if they do not meet. */
export function rowsWithin(outline: GridOutline, band: GridWindow): number {
  return Math.min(outline.endRow, band.row + band.rows) - Math.max(outline.firstRow, band.row);
}

/** The coverage of a band by each outline that meets it, in the order of the outlines. */
export function coverOutlines(
  coverOutline: ReturnType<typeof createCover>,
  outlines: readonly GridOutline[],
  band: GridWindow,
): [index: number, Coverage][] {
  const meetingIndexes = [...outlines.keys()].filter((index) => rowsWithin(outlines[index]!, band) > 0);
  return meetingIndexes.map((index) => [index, coverOutline(outlines[index]!, band.row, band.row + band.rows)]);
}

/** Sums the bands of a pass in one thread. */
export interface BandWorker {
  /**
   * Sums by row: `SUMS_PER_ROW` numbers for each row, of each layer, of each outline that meets the band, in order.
   * @throws BadInput
   */
  sumBand(band: GridWindow): Promise<Float64Array<ArrayBuffer>>;
  close(): Promise<void>;
}

/**
 * Opens the rasters of a pass. A band's shares are computed once for all layers. Values are then read tile by tile from
 * west to east, only where an outline may be, so that memory contains single tiles rather than complete bands.
 */
export async function openBandWorker({ grid, layers, weights, outlines, blockSize }: PassTask): Promise<BandWorker> {
  const rasters = await Promise.all(layers.map(openDescribedRaster));
  const weightRaster = weights && (await openDescribedRaster(weights));
  const coverOutline = createCover(grid.columns);
  let weightBuffer: RasterValues | undefined;
  let layerBuffer: RasterValues | undefined;

  return {
    async sumBand(band) {
      let length = 0;
      const areas = coverOutlines(coverOutline, outlines, band).map(([index, coverage]) => {
        const numberCount = SUMS_PER_ROW * (coverage.rowStart.length - 1);
        const firstSum = length;
        length += numberCount * layers.length;
        return {
          outline: outlines[index]!,
          coverage,
          from: firstSum,
          figures: numberCount,
          nextSpans: layers.map(() => coverage.rowStart.slice()),
        };
      });
      const sums = new Float64Array(length);
      for (const tile of cutTiles(band, blockSize)) {
        const end = tile.column + tile.columns;
        const areasInTile = areas.filter(({ outline }) => outline.firstColumn < end && outline.endColumn > tile.column);
        if (areasInTile.length === 0) continue;
        if (weightRaster) weightBuffer = await weightRaster.readWindow(tile, weightBuffer);
        const weightValues = weightRaster ? weightBuffer! : null;
        for (const [layer, raster] of rasters.entries()) {
          layerBuffer = isSameGrid(raster.grid, grid)
            ? await raster.readWindow(tile, layerBuffer)
            : await readNearest(raster, grid, tile);
          for (const { coverage, from: firstSum, figures: numberCount, nextSpans } of areasInTile) {
            const rows = sums.subarray(firstSum + layer * numberCount, firstSum + (layer + 1) * numberCount);
            sumRows(rows, coverage, nextSpans[layer]!, tile, layerBuffer, weightValues);
          }
        }
      }
      return sums;
    },
    async close() {
      for (const raster of [...rasters, weightRaster]) await raster?.close();
    },
  };
}

export async function answerBand(worker: BandWorker, band: GridWindow): Promise<BandAnswer> {
  try {
    return { sums: await worker.sumBand(band) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { message, complaint: badInputDetails(error), ...(code === undefined ? {} : { code }) };
  }
}

/** The sums in an answer. @throws the error that occurred in the thread, such as BadInput */
export function bandSums(answer: BandAnswer): Float64Array {
  if ('sums' in answer) return answer.sums;
  const { complaint } = answer;
  if (complaint) throw new BadInput(complaint);
  throw Object.assign(new Error(answer.message), answer.code === undefined ? {} : { code: answer.code });
}
