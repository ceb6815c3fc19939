import type { Country } from '../catalog/country.ts';
import type { Model } from '../catalog/model.ts';
import type { Source } from '../catalog/sources.ts';
import type { Table } from '../lib/tables/table.ts';
import { type CacheEntry, readArtifact, readTables } from './cache.ts';
import { modelRead, sourcesRead } from './cache-key.ts';
import { type Stage, type StageIo, tableReaders } from './stage.ts';

/** A stage's input, in a form that can be sent to a thread. */
export interface StageTask {
  module: string;
  cache: string;
  /** Cache entries that contain the inputs, by stage. */
  entries: Record<string, CacheEntry>;
  inputs: readonly string[];
  /** Columns of those inputs that are tables. */
  tables: Record<string, Table['columns']>;
  sources: Source[];
  rawData: string;
  model: Model;
}

export async function taskOf(
  stage: Stage,
  country: Country,
  cache: string,
  entries: Record<string, CacheEntry>,
): Promise<StageTask> {
  return {
    module: stage.module,
    cache,
    entries: { ...entries },
    inputs: stage.inputs,
    tables: await readTables(cache, entries, stage.inputs),
    sources: sourcesRead(stage, country),
    rawData: country.rawData,
    model: modelRead(stage, country.model),
  };
}

/** The stage's view of its inputs, which shows only what it declares. */
export function openIo(task: StageTask, progress: StageIo['progress']): StageIo {
  const { module, cache, entries, inputs, tables, sources, rawData, model } = task;
  const declared = (name: string) => {
    if (inputs.includes(name)) return name;
    throw new Error(`${module} reads ${name}, which it does not declare`);
  };
  return {
    artifact<T>(name: string): T {
      const [stage, artifact] = declared(name).split('/') as [string, string];
      return readArtifact<T>(cache, entries[stage]!, artifact);
    },
    ...tableReaders((name) => tables[declared(name)]!),
    ...{ sources, rawData, model, progress },
  };
}
