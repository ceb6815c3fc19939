/** Runs one stage in a thread of its own: memory is given back at its end, and progress stays alive meanwhile. */
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { Model, Source } from '../catalog.ts';
import { type CacheEntry, readArtifact } from './cache.ts';
import { ROOT } from './code.ts';
import type { StageIo, StageRun } from './stage.ts';

/** What a thread is told. */
export interface WorkerTask {
  module: string;
  cache: string;
  /** Entries that hold the inputs, by stage. */
  entries: Record<string, CacheEntry>;
  inputs: readonly string[];
  sources: Source[];
  rawData: string;
  model: Model;
}

/** What a thread says. */
export type WorkerMessage =
  | { type: 'progress'; share: number; what?: string }
  | { type: 'done'; values: Record<string, unknown> }
  | { type: 'failed'; message: string; stack: string; bad_input: boolean; code?: string };

const task = workerData as WorkerTask;
const say = (message: WorkerMessage) => parentPort!.postMessage(message);

const io: StageIo = {
  artifact<T>(name: string): T {
    if (!task.inputs.includes(name)) throw new Error(`${task.module} reads ${name}, which it does not declare`);
    const [stage, artifact] = name.split('/') as [string, string];
    return readArtifact<T>(task.cache, task.entries[stage]!, artifact);
  },
  sources: task.sources,
  rawData: task.rawData,
  model: task.model,
  progress: (share, what) => say({ type: 'progress', share, ...(what === undefined ? {} : { what }) }),
};

try {
  const { run } = (await import(path.join(ROOT, task.module))) as { run: StageRun };
  say({ type: 'done', values: await run(io) });
} catch (error) {
  const { message, stack = '', name, code } = error as NodeJS.ErrnoException;
  say({ type: 'failed', message, stack, bad_input: name === 'BadInput', ...(code === undefined ? {} : { code }) });
}
