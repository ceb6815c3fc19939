import { Worker } from 'node:worker_threads';
import type { RasterDescription } from '../ingest/readers/geotiff-description.ts';
import { type BlockSize, listWindows } from '../ingest/readers/windows.ts';
import type { Window } from '../numerics/grid.ts';
import { answerBand, type BandAnswer, openBandWorker, type PassTask, rowsWithin, sumsOf } from './band.ts';
import type { Outline } from './outline.ts';
import { addRows, createSums, SUMS_PER_ROW, type ZonalSums } from './sums.ts';

/** With fewer cells in all rasters together, threads take longer to start than they save. */
const CELLS_FOR_THREADS = 4e6;
/** How many bands per thread may be done ahead of the one that is due. */
const BANDS_AHEAD = 4;
/** How many bands a thread is sent ahead, so that it never waits for the next. */
const BANDS_QUEUED = 2;

/**
 * Sums of every layer inside every outline: `[layer][outline]`. The rasters must have the same grid; `weights` may be
 * null. The sums are the same to the last bit for any number of threads, `jobs`: the files determine the bands, and rows
 * are added up from north to south.
 * @param onProgress gets the share of bands done
 * @throws BadInput; OutlineFault, for the northernmost
 */
export async function sumInside(
  layers: RasterDescription[],
  weights: RasterDescription | null,
  outlines: Outline[],
  jobs: number,
  onProgress: (share: number) => void,
): Promise<ZonalSums[][]> {
  const rasters = weights ? [...layers, weights] : layers;
  const { grid } = layers[0]!;
  const size = commonBlocks(rasters);
  const task: PassTask = { grid, layers, weights, outlines, size };
  const bands = listWindows(grid, size, outlines);
  const sums = layers.map(() => outlines.map(createSums));
  const take = (band: number, rows: Float64Array) => {
    addBand(sums, outlines, bands[band]!, rows);
    onProgress((band + 1) / bands.length);
  };
  const cells = bands.reduce((n, band) => n + band.rows * band.columns, 0) * rasters.length;
  const helpers = cells < CELLS_FOR_THREADS ? 0 : Math.min(jobs, bands.length) - 1;
  await sumBands(task, bands, helpers, take);
  return sums;
}

/** Blocks as large as the rasters' largest in each direction: if those are multiples of the rest, nothing is read twice. */
function commonBlocks(rasters: RasterDescription[]): BlockSize {
  return {
    blockRows: Math.max(...rasters.map((raster) => raster.blockRows)),
    blockColumns: Math.max(...rasters.map((raster) => raster.blockColumns)),
    northRows: Math.max(...rasters.map((raster) => raster.northRows)),
  };
}

function addBand(sums: ZonalSums[][], outlines: Outline[], band: Window, rows: Float64Array): void {
  let from = 0;
  outlines.forEach((outline, index) => {
    const figures = SUMS_PER_ROW * rowsWithin(outline, band);
    if (figures <= 0) return;
    for (const layer of sums) {
      addRows(layer[index]!, rows.subarray(from, from + figures));
      from += figures;
    }
  });
}

/**
 * Sums the bands in this thread and in `helpers` more. Bands are given out from north to south, to helpers ahead of need,
 * and results and failures are taken in that order.
 */
async function sumBands(
  task: PassTask,
  bands: Window[],
  helpers: number,
  take: (band: number, rows: Float64Array) => void,
): Promise<void> {
  const done = new Map<number, BandAnswer>();
  let given = 0;
  let taken = 0;
  let fault: Error | null = null;
  let wake = () => {};
  const mayGive = () => given < bands.length && given < taken + BANDS_AHEAD * (helpers + 1);

  const threads = Array.from({ length: helpers }, () => {
    const thread = new Worker(new URL('./worker.ts', import.meta.url), { workerData: task });
    thread.on('error', (error) => {
      fault = error as Error;
      wake();
    });
    let queued = 0;
    const fill = () => {
      for (; queued < BANDS_QUEUED && mayGive(); queued++, given++) {
        thread.postMessage({ band: given, window: bands[given] });
      }
    };
    thread.on('message', (answer: BandAnswer) => {
      queued--;
      done.set(answer.band, answer);
      fill();
      wake();
    });
    return { thread, fill };
  });
  const own = await openBandWorker(task);
  try {
    while (taken < bands.length) {
      for (const { fill } of threads) fill();
      if (mayGive()) {
        const band = given++;
        done.set(band, await answerBand(own, band, bands[band]!));
        // Lets the helpers' answers arrive.
        await new Promise((resolve) => setImmediate(resolve));
      } else if (!done.has(taken)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (fault) throw fault;
      for (let answer = done.get(taken); answer; answer = done.get(taken)) {
        done.delete(taken);
        take(taken, sumsOf(answer));
        taken++;
      }
    }
  } finally {
    await own.close();
    await Promise.all(threads.map(({ thread }) => thread.terminate()));
  }
}
