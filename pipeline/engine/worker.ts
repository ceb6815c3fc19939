/** Runs one stage in its own thread, so that its memory is freed at the end and progress keeps moving meanwhile. */
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type Complaint, complaintIn } from '../bad-input.ts';
import { ROOT } from './code.ts';
import { openIo, type StageTask } from './io.ts';
import { runSplit, type Split } from './split.ts';
import type { StageRun } from './stage.ts';
import { readSteps } from './steps.ts';

/** What a thread is started with. */
export interface WorkerTask extends StageTask {
  /** Directory of the steps done elsewhere, if there are any. */
  steps: string;
}

/** What a thread reports. */
export type WorkerMessage =
  | { type: 'progress'; share: number; what?: string }
  | { type: 'done'; values: Record<string, unknown> }
  | { type: 'failed'; message: string; stack: string; complaint: Complaint | null; code?: string };

const task = workerData as WorkerTask;
const say = (message: WorkerMessage) => parentPort!.postMessage(message);
const io = openIo(task, (share, what) => say({ type: 'progress', share, ...(what === undefined ? {} : { what }) }));

try {
  const stage = (await import(path.join(ROOT, task.module))) as { run: StageRun; split?: Split<unknown, unknown> };
  const values = stage.split ? await runSplit(stage.split, io, readSteps(task.steps)) : await stage.run(io);
  say({ type: 'done', values });
} catch (error) {
  const { message, stack = '', code } = error as NodeJS.ErrnoException;
  say({ type: 'failed', message, stack, complaint: complaintIn(error), ...(code === undefined ? {} : { code }) });
}
