import type { Table } from '../lib/tables/table.ts';
import { type CacheEntry, readArtifact, readTables } from './cache.ts';
import { type Stage, type StageInputs, type StageIo, tableReaders } from './stage.ts';

/** A stage's input, in a form that can be sent to a thread. */
export interface StageTask<View extends object = object> {
  module: string;
  cache: string;
  /** Cache entries that contain the inputs, by stage. */
  entries: Record<string, CacheEntry>;
  inputs: readonly string[];
  /** Columns of those inputs that are tables. */
  tables: Record<string, Table['columns']>;
  view: View;
}

/** @param view what the stage sees besides artifacts */
export async function createStageTask<View extends object>(
  { module, inputs }: Pick<Stage, 'module' | 'inputs'>,
  view: View,
  cache: string,
  entries: Record<string, CacheEntry>,
): Promise<StageTask<View>> {
  return { module, cache, entries: { ...entries }, inputs, tables: await readTables(cache, entries, inputs), view };
}

/** The stage's view of its inputs, which shows only what it declares. */
export function createStageIo<View extends object>(
  task: StageTask<View>,
  progress: StageInputs['progress'],
): StageIo<View> {
  const { module, cache, entries, inputs, tables, view } = task;
  const requireDeclared = (name: string) => {
    if (inputs.includes(name)) return name;
    throw new Error(`${module} reads ${name}, which it does not declare`);
  };
  return {
    artifact<T>(name: string): T {
      const [stage, artifact] = requireDeclared(name).split('/') as [string, string];
      return readArtifact<T>(cache, entries[stage]!, artifact);
    },
    ...tableReaders((name) => tables[requireDeclared(name)]!),
    progress,
    ...view,
  };
}
