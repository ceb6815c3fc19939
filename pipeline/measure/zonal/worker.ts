/** A thread of a zonal pass, which sums the bands that it is sent. */
import { parentPort, workerData } from 'node:worker_threads';
import type { GridWindow } from '../../lib/numerics/grid.ts';
import { answerBand, openBandWorker, type PassTask } from './band.ts';

const worker = await openBandWorker(workerData as PassTask);

parentPort!.on('message', async (band: GridWindow) => {
  const answer = await answerBand(worker, band);
  parentPort!.postMessage(answer, 'sums' in answer ? [answer.sums.buffer] : []);
});
