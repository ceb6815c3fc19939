import type { Country } from '../catalog/country.ts';
import type { Model } from '../catalog/model.ts';
import type { Source } from '../catalog/sources.ts';
import { sha256Json } from '../lib/hash.ts';
import { codeOf, RUNTIME } from './code.ts';
import type { Stage } from './stage.ts';

/** Everything that determines a stage's result, and its hash. */
export interface CacheKey {
  stage: string;
  /** Hash of everything below except `catalog`, whose entries are hashed among the inputs. */
  key: string;
  /** Content hash of every raw file, catalog entry and artifact that the stage reads. */
  inputs: Record<string, string>;
  /** Hash of every file of code, and version and hash of every package that it imports (see code.ts). */
  code: Record<string, string>;
  packages: Record<string, string>;
  parameters: unknown;
  runtime: string;
  /** The catalog entries as the stage sees them, by id, so that a plan can show which field changed. */
  catalog: Record<string, unknown>;
}

/** The parts that a key is the hash of. A snapshot's manifest has all of them, so that `verify` can recompute keys. */
export interface KeyParts extends Pick<CacheKey, 'stage' | 'inputs' | 'code' | 'parameters' | 'runtime'> {
  packages?: CacheKey['packages'] | undefined;
  /** Hash of the entire lock file, which older snapshots have instead of `packages`. */
  lock?: string | undefined;
}

export function keyOf({ stage, inputs, code, packages, lock, parameters, runtime }: KeyParts): string {
  return sha256Json({ stage, inputs, code, packages, lock, parameters, runtime });
}

/** The code that writes tables also determines their bytes, so it is part of every stage's key. */
export const TABLES = 'pipeline/lib/tables/parquet.ts';

/** Fields that describe a source to people. Only the snapshot stage sees them, so changing them reruns no other. */
const ABOUT = ['title', 'producer', 'citation', 'licence', 'release', 'access', 'url', 'accepted', 'notes'] as const;

/** The catalog entries that a stage reads, without the fields meant for people unless the stage publishes them. */
export function sourcesRead(stage: Stage, { sources }: Pick<Country, 'sources'>): Source[] {
  const read = sources.filter(stage.reads);
  if (stage.publishes_catalog) return read;
  return read.map((source) => {
    const form: Partial<Source> = structuredClone(source);
    for (const field of ABOUT) delete form[field];
    form.files = source.files.map(({ path, period, year, rows }) => ({
      path,
      ...(period === undefined ? {} : { period }),
      ...(year === undefined ? {} : { year }),
      ...(rows === undefined ? {} : { rows }),
    }));
    return form as Source;
  });
}

/** The parts of model.json that a stage declares, in model.json's shape; the rest is left out. */
export function modelRead(stage: Stage, model: Model): Model {
  const read: Record<string, unknown> = {};
  for (const name of stage.model) {
    const steps = name.split('.');
    const last = steps.pop()!;
    let [from, to] = [model as Record<string, unknown>, read];
    for (const step of steps) {
      from = from[step] as Record<string, unknown>;
      to[step] ??= {};
      to = to[step] as Record<string, unknown>;
    }
    to[last] = from[last];
  }
  return read as unknown as Model;
}

/**
 * The current key of a stage.
 * @param raw content hash of every raw file
 * @param artifacts content hash of every input artifact
 */
export function cacheKeyOf(
  stage: Stage,
  country: Country,
  raw: Record<string, string>,
  artifacts: Record<string, string>,
): CacheKey {
  const inputs: Record<string, string> = {};
  const catalog: Record<string, unknown> = {};
  for (const source of sourcesRead(stage, country)) {
    catalog[source.id] = source;
    inputs[`catalog ${source.id}`] = sha256Json(source);
    for (const file of source.files) inputs[`raw ${file.path}`] = raw[file.path]!;
  }
  for (const name of stage.inputs) inputs[name] = artifacts[name]!;
  const parts = {
    stage: stage.name,
    inputs,
    ...codeOfStage(stage),
    parameters: modelRead(stage, country.model),
    runtime: RUNTIME,
  };
  return { ...parts, catalog, key: keyOf(parts) };
}

/** Hash of every file of code behind a stage's results, and of the packages that it imports. */
export function codeOfStage({ module }: Stage): Pick<CacheKey, 'code' | 'packages'> {
  const [own, tables] = [codeOf(module), codeOf(TABLES)];
  return { code: { ...tables.files, ...own.files }, packages: { ...tables.packages, ...own.packages } };
}
