/** Some states' part of a stage, worked out by itself for a build to merge. */
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
import { cacheOf } from './publish/release/places.ts';
import { STAGES } from './stages.ts';

export interface StatePartOptions {
  stage: string;
  /** None: only what every part needs. */
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
 * Works out a stage's part of some states, and before it, where the cache of `out` lacks them, the stages that it reads
 * and what all parts need. A build in `out`, or in a copy of its cache, takes the part up.
 * @returns files that hold the steps; none where the cache holds the whole stage
 * @throws RangeError for a stage that does not fall apart by state, or a state that there is not
 */
export async function doStatePart(options: StatePartOptions): Promise<string[]> {
  const { out, jobs, onEvent } = options;
  const stage = dividedStage(options.stage);
  const country = withUpdatedAt(readCountry(options.country, options.rawData), options.updatedAt);
  const known = country.model.states.map(({ state_code }) => state_code);
  const unknown = options.states.find((state) => !known.includes(state));
  if (unknown !== undefined) throw new RangeError(`--states: found ${unknown}, expected some of ${known.join(',')}`);
  const cache = cacheOf(out);
  const place = enter(out);
  try {
    const raw = await hashRawFiles(country, options.unpinned);
    const entries = await runStages(stagesBefore(stage), { country, raw, cache, jobs, onEvent });
    const cacheKey = cacheKeyOf(stage, country, raw, artifactHashes(entries));
    if (findEntry(cache, stage.name, cacheKey.key)) return [];
    const byStage = Object.fromEntries(entries.map((entry) => [entry.stage, entry]));
    const io = openIo(taskOf(stage, country, cache, byStage), (share, what) =>
      onEvent({ type: 'progress', stage: stage.name, share, ...(what === undefined ? {} : { what }) }),
    );
    const { split } = (await import(path.join(ROOT, stage.module))) as { split: Split<unknown, unknown> };
    const directory = stepsDirectory(cache, cacheKey);
    const done = readSteps(directory);
    const whole = done.whole === undefined ? await split.whole(io) : done.whole;
    const states = statesOf(io).filter((state) => options.states.includes(state));
    const part = states.length > 0 ? await split.part(ofStates(io, states), whole) : null;
    await refuseChanges(cacheKey, country.rawData);
    const files = [keepStep(directory, { whole })];
    if (part !== null) files.push(keepStep(directory, { states, part }));
    return files;
  } finally {
    place.leave();
  }
}

function dividedStage(name: string): Stage {
  const all = STAGES.filter((stage) => stage.by_state);
  const found = all.find((stage) => stage.name === name);
  if (found) return found;
  throw new RangeError(
    `stage: found ${name}, expected one that falls apart by state: ${all.map((s) => s.name).join(', ')}`,
  );
}

/** The stages whose artifacts a stage reads, and those that they read, in the table's order. */
function stagesBefore({ inputs }: Stage): Stage[] {
  const needed = new Set(inputs.map((input) => input.split('/')[0]!));
  for (const stage of STAGES.toReversed())
    if (needed.has(stage.name)) for (const input of stage.inputs) needed.add(input.split('/')[0]!);
  return STAGES.filter(({ name }) => needed.has(name));
}
