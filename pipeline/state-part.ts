/** Works out some states' part of a stage on its own, for a build to merge. */
import path from 'node:path';
import { withUpdatedAt } from './build.ts';
import { findEntry } from './engine/cache.ts';
import { cacheKeyOf } from './engine/cache-key.ts';
import { ROOT } from './engine/code.ts';
import { readCountry } from './engine/country.ts';
import { openIo, taskOf } from './engine/io.ts';
import { enter } from './engine/lock.ts';
import { hashRawFiles } from './engine/raw.ts';
import { artifactHashes, refuseChanges, runStages, type StageEvent } from './engine/run.ts';
import { ofStates, type Split, statesOf } from './engine/split.ts';
import type { Stage } from './engine/stage.ts';
import { keepStep, readSteps, stepsDirectory } from './engine/steps.ts';
import { UsageError } from './errors.ts';
import { cacheOf } from './publish/release/places.ts';
import { STAGES } from './stages.ts';

export interface StatePartOptions {
  stage: string;
  /** None: only the prepare step. */
  states: readonly string[];
  country: string;
  rawData?: string | undefined;
  /** Takes raw files as they are, whether or not the catalog pins them so: for trial, never to be published. */
  unpinned?: boolean | undefined;
  out: string;
  updatedAt?: string | undefined;
  jobs: number;
  onEvent: (event: StageEvent) => void;
}

/**
 * Works out a stage's part for some states; first, unless the cache of `out` has them, the stages that it reads and its
 * prepare step. A build in `out`, or on a copy of its cache, uses the part.
 * @returns files that hold the steps; none if the cache already holds the finished stage
 * @throws RangeError for a stage that cannot be split by state, or an unknown state
 */
export async function doStatePart(options: StatePartOptions): Promise<string[]> {
  const { out, jobs, onEvent } = options;
  const stage = splitStage(options.stage);
  const country = withUpdatedAt(readCountry(options.country, options.rawData), options.updatedAt);
  const known = country.model.states.map(({ state_code }) => state_code);
  const unknown = options.states.find((state) => !known.includes(state));
  if (unknown !== undefined) throw new UsageError(`--states: found ${unknown}, expected some of ${known.join(',')}`);
  const cache = cacheOf(out);
  const place = enter(out);
  try {
    const raw = await hashRawFiles(country, options.unpinned);
    const entries = await runStages(stagesBefore(stage), { country, raw, cache, jobs, onEvent });
    const cacheKey = cacheKeyOf(stage, country, raw, artifactHashes(entries));
    if (findEntry(cache, stage.name, cacheKey.key)) return [];
    const byStage = Object.fromEntries(entries.map((entry) => [entry.stage, entry]));
    const io = openIo(await taskOf(stage, country, cache, byStage), (share, what) =>
      onEvent({ type: 'progress', stage: stage.name, share, ...(what === undefined ? {} : { what }) }),
    );
    const { split } = (await import(path.join(ROOT, stage.module))) as { split: Split<unknown, unknown> };
    const directory = stepsDirectory(cache, cacheKey);
    const done = readSteps(directory);
    const prepared = done.prepared === undefined ? await split.prepare(io) : done.prepared;
    const states = statesOf(io).filter((state) => options.states.includes(state));
    const part = states.length > 0 ? await split.part(ofStates(io, states), prepared) : null;
    await refuseChanges(cacheKey, country.rawData);
    const files = [await keepStep(directory, { prepared })];
    if (part !== null) files.push(await keepStep(directory, { states, part }));
    return files;
  } finally {
    place.leave();
  }
}

function splitStage(name: string): Stage {
  const all = STAGES.filter((stage) => stage.by_state);
  const found = all.find((stage) => stage.name === name);
  if (found) return found;
  throw new UsageError(`stage: found ${name}, expected one that splits by state: ${all.map((s) => s.name).join(', ')}`);
}

/** The stages whose artifacts a stage reads, and those that they read, in the table's order. */
function stagesBefore({ inputs }: Stage): Stage[] {
  const needed = new Set(inputs.map((input) => input.split('/')[0]!));
  for (const stage of STAGES.toReversed())
    if (needed.has(stage.name)) for (const input of stage.inputs) needed.add(input.split('/')[0]!);
  return STAGES.filter(({ name }) => needed.has(name));
}
