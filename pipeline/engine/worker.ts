/** Runs one stage in a thread of its own: memory is given back at its end, and progress stays alive meanwhile. */
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { ROOT } from './code.ts';
import { openIo, type StageTask } from './io.ts';
import { runSplit, type Split } from './split.ts';
import type { StageRun } from './stage.ts';
import { readSteps } from './steps.ts';

/** What a thread is told. */
export interface WorkerTask extends StageTask {
  /** Where steps done apart lie, if any. */
  steps: string;
}

/** What a thread says. */
export type WorkerMessage =
  | { type: 'progress'; share: number; what?: string }
  | { type: 'done'; values: Record<string, unknown> }
  | { type: 'failed'; message: string; stack: string; bad_input: boolean; code?: string };

const task = workerData as WorkerTask;
const say = (message: WorkerMessage) => parentPort!.postMessage(message);
const io = openIo(task, (share, what) => say({ type: 'progress', share, ...(what === undefined ? {} : { what }) }));

try {
  const stage = (await import(path.join(ROOT, task.module))) as { run: StageRun; split?: Split<unknown, unknown> };
  const values = stage.split ? await runSplit(stage.split, io, readSteps(task.steps)) : await stage.run(io);
  say({ type: 'done', values });
} catch (error) {
  const { message, stack = '', name, code } = error as NodeJS.ErrnoException;
  say({ type: 'failed', message, stack, bad_input: name === 'BadInput', ...(code === undefined ? {} : { code }) });
}
