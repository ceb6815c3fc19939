import type { Model } from '../catalog/model.ts';
import type { Source } from '../catalog/sources.ts';
import { type CacheEntry, readArtifact } from './cache.ts';
import { modelRead, sourcesRead } from './cache-key.ts';
import type { Country } from './country.ts';
import type { Stage, StageIo } from './stage.ts';

/** What a stage's run is given, as it can be sent to a thread. */
export interface StageTask {
  module: string;
  cache: string;
  /** Entries that hold the inputs, by stage. */
  entries: Record<string, CacheEntry>;
  inputs: readonly string[];
  sources: Source[];
  rawData: string;
  model: Model;
}

export function taskOf(stage: Stage, country: Country, cache: string, entries: Record<string, CacheEntry>): StageTask {
  return {
    module: stage.module,
    cache,
    entries: { ...entries },
    inputs: stage.inputs,
    sources: sourcesRead(stage, country),
    rawData: country.rawData,
    model: modelRead(stage, country.model),
  };
}

/** What the stage sees: nothing that it does not declare. */
export function openIo(task: StageTask, progress: StageIo['progress']): StageIo {
  return {
    artifact<T>(name: string): T {
      if (!task.inputs.includes(name)) throw new Error(`${task.module} reads ${name}, which it does not declare`);
      const [stage, artifact] = name.split('/') as [string, string];
      return readArtifact<T>(task.cache, task.entries[stage]!, artifact);
    },
    sources: task.sources,
    rawData: task.rawData,
    model: task.model,
    progress,
  };
}
