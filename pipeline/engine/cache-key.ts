import { sha256Json } from '../lib/hash.ts';
import { moduleCodeHashes, RUNTIME } from './code-hashes.ts';
import type { Project, Stage } from './stage.ts';

/** Everything that determines a stage's result, and its hash. */
export interface CacheKey {
  stage: string;
  /** Hash of everything below except `catalog`, whose entries are hashed among the inputs. */
  key: string;
  /** Content hash of every raw file, catalog entry and artifact that the stage reads. */
  inputs: Record<string, string>;
  /** Hash of every file of code, and of the lock file (see code-hashes.ts). */
  code: Record<string, string>;
  parameters: unknown;
  runtime: string;
  /** The catalog entries as the stage sees them, by id, so that a plan can show which field changed. */
  catalog: Record<string, unknown>;
}

/** The parts that a key is the hash of. A snapshot's manifest has all of them, so that `verify` can recompute keys. */
type HashedParts = Pick<CacheKey, 'stage' | 'inputs' | 'code' | 'parameters' | 'runtime'>;

export function hashCacheKey({ stage, inputs, code, parameters, runtime }: HashedParts): string {
  return sha256Json({ stage, inputs, code, parameters, runtime });
}

/** The code that writes tables also determines their bytes, so it is part of every stage's key. */
export const TABLE_WRITER = 'pipeline/lib/tables/parquet.ts';

/** The current key of a stage. @param artifacts content hash of every input artifact */
export function stageCacheKey<ProjectStage extends Stage>(
  stage: ProjectStage,
  project: Project<ProjectStage>,
  artifacts: Record<string, string>,
): CacheKey {
  const { files, catalog, parameters } = project.inputsFor(stage);
  const inputs: Record<string, string> = {};
  for (const [id, entry] of Object.entries(catalog)) inputs[`catalog ${id}`] = sha256Json(entry);
  for (const [file, hash] of Object.entries(files)) inputs[`raw ${file}`] = hash;
  for (const name of stage.inputs) inputs[name] = artifacts[name]!;
  const parts = {
    stage: stage.name,
    inputs,
    code: stageCodeHashes(stage),
    parameters,
    runtime: RUNTIME,
  };
  return { ...parts, catalog, key: hashCacheKey(parts) };
}

/** Hash of every file of code behind a stage's results. */
export const stageCodeHashes = ({ module }: Pick<Stage, 'module'>): CacheKey['code'] => ({
  ...moduleCodeHashes(TABLE_WRITER),
  ...moduleCodeHashes(module),
});
