/** Runs one stage in a thread, so that its memory is freed at the end and progress is shown meanwhile. */
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type BadInputDetails, badInputDetails, errorMessage } from '../lib/bad-input.ts';
import { ROOT } from '../lib/packed.ts';
import { createStageIo, type StageTask } from './io.ts';
import type { StageRun } from './stage.ts';

/** What a thread reports. */
export type WorkerMessage =
  | { type: 'progress'; share: number; what?: string }
  | { type: 'done'; values: Record<string, unknown> }
  | { type: 'failed'; message: string; stack: string; complaint: BadInputDetails | null; code?: string };

const task = workerData as StageTask;
const post = (message: WorkerMessage) => parentPort!.postMessage(message);
const io = createStageIo(task, (share, what) =>
  post({ type: 'progress', share, ...(what === undefined ? {} : { what }) }),
);

try {
  const stageModule = (await import(path.join(ROOT, task.module))) as { run: StageRun };
  post({ type: 'done', values: await stageModule.run(io) });
} catch (error) {
  const { stack = '', code } = error as NodeJS.ErrnoException;
  const message = errorMessage(error as Error);
  post({ type: 'failed', message, stack, complaint: badInputDetails(error), ...(code === undefined ? {} : { code }) });
}
