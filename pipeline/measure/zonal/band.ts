import { openDescribed } from '../../ingest/readers/geotiff.ts';
import type { RasterDescription } from '../../ingest/readers/geotiff-description.ts';
import { readNearest } from '../../ingest/readers/nearest.ts';
import { type BlockSize, cutTiles } from '../../ingest/readers/windows.ts';
import { BadInput, type BadInputDetails, badInputDetails } from '../../lib/bad-input.ts';
import { type Grid, type GridWindow, isSameGrid, type RasterValues } from '../../lib/numerics/grid.ts';
import { type Coverage, createCover } from './coverage.ts';
import type { Outline } from './outline.ts';
import { SUMS_PER_ROW, sumRows } from './sums.ts';

/** One pass over rasters, which reads each cell once. Plain data, so that it can be sent to threads. */
export interface PassTask {
  /** That of the weights if there are any: a raster on another grid is read at the centres of its cells. */
  grid: Grid;
  layers: RasterDescription[];
  weights: RasterDescription | null;
  outlines: Outline[];
  /** The block size of the pass: that of all rasters, or multiples of it. */
  size: BlockSize;
}

/** A band's sums, or the error, in a form that threads can send. */
export type BandAnswer =
  | { sums: Float64Array<ArrayBuffer> }
  | { message: string; complaint: BadInputDetails | null; code?: string };

/** Number of rows that an outline and a band have in common; 0 or negative if they do not meet. */
export function rowsWithin(outline: Outline, band: GridWindow): number {
  return Math.min(outline.endRow, band.row + band.rows) - Math.max(outline.firstRow, band.row);
}

/** The coverage of a band by each outline that meets it, in the order of the outlines. */
export function coverOutlines(
  cover: ReturnType<typeof createCover>,
  outlines: readonly Outline[],
  band: GridWindow,
): [index: number, Coverage][] {
  const meeting = [...outlines.keys()].filter((index) => rowsWithin(outlines[index]!, band) > 0);
  return meeting.map((index) => [index, cover(outlines[index]!, band.row, band.row + band.rows)]);
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
export async function openBandWorker({ grid, layers, weights, outlines, size }: PassTask): Promise<BandWorker> {
  const rasters = await Promise.all(layers.map(openDescribed));
  const weightRaster = weights && (await openDescribed(weights));
  const cover = createCover(grid.columns);
  let weightSpace: RasterValues | undefined;
  let space: RasterValues | undefined;

  return {
    async sumBand(band) {
      let length = 0;
      const areas = coverOutlines(cover, outlines, band).map(([index, coverage]) => {
        const figures = SUMS_PER_ROW * (coverage.rowStart.length - 1);
        const from = length;
        length += figures * layers.length;
        return {
          outline: outlines[index]!,
          coverage,
          from,
          figures,
          next: layers.map(() => coverage.rowStart.slice()),
        };
      });
      const sums = new Float64Array(length);
      for (const tile of cutTiles(band, size)) {
        const end = tile.column + tile.columns;
        const inTile = areas.filter(({ outline }) => outline.firstColumn < end && outline.endColumn > tile.column);
        if (inTile.length === 0) continue;
        if (weightRaster) weightSpace = await weightRaster.readWindow(tile, weightSpace);
        const weightValues = weightRaster ? weightSpace! : null;
        for (const [layer, raster] of rasters.entries()) {
          space = isSameGrid(raster.grid, grid)
            ? await raster.readWindow(tile, space)
            : await readNearest(raster, grid, tile);
          for (const { coverage, from, figures, next } of inTile) {
            const rows = sums.subarray(from + layer * figures, from + (layer + 1) * figures);
            sumRows(rows, coverage, next[layer]!, tile, space, weightValues);
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
