import { openThreadPool } from '../../engine/threads.ts';
import type { RasterDescription } from '../../ingest/readers/geotiff-description.ts';
import { type BlockSize, listWindows } from '../../ingest/readers/windows.ts';
import type { GridWindow } from '../../lib/numerics/grid.ts';
import { type BandAnswer, bandSums, openBandWorker, type PassTask, rowsWithin } from './band.ts';
import type { GridOutline } from './outline.ts';
import { addRows, createSums, SUMS_PER_ROW, type ZonalSums } from './sums.ts';

/** With fewer cells in all rasters, threads take longer to start than they save. */
const CELLS_FOR_THREADS = 4e6;
/** Number of bands per thread that may be processed ahead of the next one needed. */
const BANDS_AHEAD = 4;

/**
 * Sums of every layer inside every outline: `[layer][outline]`. The layers must share one grid. If the weights have
 * another, the sums are those over the weights' cells, each with the value of the layer's cell that contains its
 * centre. The sums are identical to the last bit for any number of threads (`jobs`), because the files determine the
 * bands, and rows are added from north to south.
 * @param outlines on the weights' grid or, without weights, on that of the layers
 * @param onProgress receives the share of bands done
 * @throws BadInput: the northernmost fault
 */
export async function sumInside(
  layers: RasterDescription[],
  weights: RasterDescription | null,
  outlines: GridOutline[],
  jobs: number,
  onProgress: (share: number) => void,
): Promise<ZonalSums[][]> {
  const rasters = weights ? [...layers, weights] : layers;
  const { grid } = weights ?? layers[0]!;
  const blockSize = commonBlocks(rasters);
  const task: PassTask = { grid, layers, weights, outlines, blockSize };
  const bands = listWindows(grid, blockSize, outlines);
  const sums = layers.map(() => outlines.map(createSums));
  const onSums = (band: number, rows: Float64Array) => {
    addBand(sums, outlines, bands[band]!, rows);
    onProgress((band + 1) / bands.length);
  };
  const cells = bands.reduce((sum, band) => sum + band.rows * band.columns, 0) * rasters.length;
  const threads = cells < CELLS_FOR_THREADS ? 1 : Math.min(jobs, bands.length);
  await sumBands(task, bands, threads, onSums);
  return sums;
}

/** The largest block size in each direction: if it is a multiple of the others, nothing is read twice. */
function commonBlocks(rasters: RasterDescription[]): BlockSize {
  return {
    blockRows: Math.max(...rasters.map((raster) => raster.blockRows)),
    blockColumns: Math.max(...rasters.map((raster) => raster.blockColumns)),
    northRows: Math.max(...rasters.map((raster) => raster.northRows)),
  };
}

function addBand(sums: ZonalSums[][], outlines: GridOutline[], band: GridWindow, rows: Float64Array): void {
  let firstSum = 0;
  outlines.forEach((outline, index) => {
    const numberCount = SUMS_PER_ROW * rowsWithin(outline, band);
    if (numberCount <= 0) return;
    for (const layer of sums) {
      addRows(layer[index]!, rows.subarray(firstSum, firstSum + numberCount));
      firstSum += numberCount;
    }
  });
}

/** Sums the bands in this thread, or ahead in several, and processes results and errors from north to south. */
async function sumBands(
  task: PassTask,
  bands: GridWindow[],
  threads: number,
  onSums: (band: number, rows: Float64Array) => void,
): Promise<void> {
  if (threads === 1) {
    const worker = await openBandWorker(task);
    try {
      for (const [band, window] of bands.entries()) onSums(band, await worker.sumBand(window));
    } finally {
      await worker.close();
    }
    return;
  }
  const pool = openThreadPool<GridWindow, BandAnswer>(new URL('./worker.ts', import.meta.url), task, threads);
  try {
    const pendingAnswers: Promise<BandAnswer>[] = [];
    let sentBands = 0;
    for (const band of bands.keys()) {
      while (sentBands < bands.length && pendingAnswers.length < BANDS_AHEAD * threads)
        pendingAnswers.push(pool.run(bands[sentBands++]!));
      onSums(band, bandSums(await pendingAnswers.shift()!));
    }
  } finally {
    await pool.close();
  }
}
