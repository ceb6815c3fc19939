import type { Worker } from 'node:worker_threads';
import { BadInput } from '../lib/bad-input.ts';
import { TryAgain } from '../lib/errors.ts';
import { type CacheEntry, findEntry, latestEntry, writeEntry } from './cache.ts';
import { type CacheKey, stageCacheKey } from './cache-key.ts';
import { changedCodeFile } from './code-hashes.ts';
import { explainRun } from './explain-run.ts';
import { createStageTask } from './io.ts';
import { changedRawFile } from './raw-files.ts';
import type { Project, Stage } from './stage.ts';
import { runInThread } from './threads.ts';
import type { WorkerMessage } from './worker.ts';

/** Events while stages run, for display. */
export type StageEvent =
  /** The first event: how long each stage took when it last ran for this country. */
  | { type: 'expected'; seconds: Record<string, number> }
  | { type: 'cached'; stage: string }
  | { type: 'started'; stage: string; causes: string[] }
  | { type: 'progress'; stage: string; share: number; what?: string }
  | { type: 'finished'; stage: string; seconds: number };

export interface RunOptions<ProjectStage extends Stage = Stage> {
  project: Project<ProjectStage>;
  cache: string;
  /** Maximum number of stages that run at once. */
  jobs: number;
  onEvent(event: StageEvent): void;
}

/**
 * Runs the stages whose inputs, code or parameters have changed, up to `jobs` at once, each in a thread. The
 * order in which they finish does not affect their outputs.
 * @returns the cache entry of every stage, in the table's order
 * @throws whatever the first failing stage threw; those still running are stopped, and their results are discarded
 */
export async function runStages<ProjectStage extends Stage>(
  stages: readonly ProjectStage[],
  options: RunOptions<ProjectStage>,
): Promise<CacheEntry[]> {
  const { project, cache, jobs, onEvent } = options;
  const entries: Record<string, CacheEntry> = {};
  const running = new Map<string, Promise<void>>();
  const workers = new Set<Worker>();

  const hasAllInputs = (stage: ProjectStage) => stage.inputs.every((name) => entries[name.split('/')[0]!]);
  const startStage = (stage: ProjectStage) => {
    const cacheKey = stageCacheKey(stage, project, artifactHashes(Object.values(entries)));
    const cached = findEntry(cache, stage.name, cacheKey.key);
    if (cached) {
      entries[stage.name] = cached;
      onEvent({ type: 'cached', stage: stage.name });
      return;
    }
    const latest = latestEntry(cache, stage.name, project.name);
    const causes = explainRun(cacheKey, latest, { cache, rawData: project.rawData });
    onEvent({ type: 'started', stage: stage.name, causes });
    const stageRun = runStage(stage, cacheKey, options, entries, workers).then((entry) => {
      entries[stage.name] = entry;
      running.delete(stage.name);
      onEvent({ type: 'finished', stage: stage.name, seconds: entry.seconds });
    });
    running.set(stage.name, stageRun);
  };

  try {
    for (;;) {
      const waiting = stages.filter((stage) => !entries[stage.name] && !running.has(stage.name));
      if (waiting.length === 0 && running.size === 0) break;
      const nextStage = waiting.find(hasAllInputs);
      if (nextStage && running.size < jobs) startStage(nextStage);
      else await Promise.race(running.values());
    }
  } finally {
    await Promise.all([...workers].map((worker) => worker.terminate()));
    await Promise.allSettled(running.values());
  }
  return stages.map((stage) => entries[stage.name]!);
}

/** Content hashes of all artifacts of `entries`, by full name. */
export function artifactHashes(entries: readonly CacheEntry[]): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (const { stage, outputs } of entries) {
    for (const [name, hash] of Object.entries(outputs)) hashes[`${stage}/${name}`] = hash;
  }
  return hashes;
}

async function runStage<ProjectStage extends Stage>(
  stage: ProjectStage,
  cacheKey: CacheKey,
  { project, cache, onEvent }: RunOptions<ProjectStage>,
  entries: Record<string, CacheEntry>,
  workers: Set<Worker>,
): Promise<CacheEntry> {
  const startedAtMs = performance.now();
  const task = await createStageTask(stage, project.inputsFor(stage).view, cache, entries);
  const module = new URL('./worker.ts', import.meta.url);
  const values = await runInThread(module, task, workers, (message: WorkerMessage) => {
    if (message.type === 'failed') throw restoreError(stage.name, message);
    if (message.type === 'done') return message.values;
    onEvent({ ...message, stage: stage.name });
    return undefined;
  });
  await refuseChangedFiles(cacheKey, project.rawData);
  const outputNames = [...stage.outputs, 'report'];
  for (const name of outputNames) if (values[name] === undefined) throw new Error(`${stage.name} returned no ${name}`);
  const outputs = Object.fromEntries(outputNames.map((name) => [name, values[name]]));
  return writeEntry(cache, cacheKey, outputs, Math.round(performance.now() - startedAtMs) / 1000);
}

/**
 * A result may be kept under its key only if nothing that the key is a hash of has changed since.
 * @throws TryAgain if a raw file or the code has changed since it was hashed
 */
export async function refuseChangedFiles({ stage, inputs, code }: CacheKey, rawData: string): Promise<void> {
  const changedPath = changedCodeFile(code) ?? (await changedRawFile(inputs, rawData));
  if (changedPath !== null)
    throw new TryAgain(
      `${changedPath}: found a change while ${stage} ran, expected the file to stay the same; run the build again`,
    );
}

/** A thread's error, restored: a bad input keeps its one line, a bug its stack. */
function restoreError(stage: string, message: Extract<WorkerMessage, { type: 'failed' }>): Error {
  const { complaint } = message;
  const error = complaint ? new BadInput(complaint) : new Error();
  error.message = message.message;
  error.stack = `${stage}: ${message.stack}`;
  return message.code === undefined ? error : Object.assign(error, { code: message.code });
}
