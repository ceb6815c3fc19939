import type { Model } from '../catalog/model.ts';
import type { Source } from '../catalog/sources.ts';
import { codeOf, RUNTIME } from './code.ts';
import type { Country } from './country.ts';
import { sha256Json } from './hash.ts';
import type { Stage } from './stage.ts';

/** All that a stage's result follows from. */
export interface Recipe {
  stage: string;
  /** Hash of all that follows but `catalog`, whose entries' hashes are among the inputs. */
  key: string;
  /** Content hash of every raw file, catalog entry and artifact read. */
  inputs: Record<string, string>;
  /** Hash of every file of code, and version and hash of every package that it imports (see code.ts). */
  code: Record<string, string>;
  packages: Record<string, string>;
  parameters: unknown;
  runtime: string;
  /** The catalog entries as the stage sees them, by id: so that a plan can say which line of one changed. */
  catalog: Record<string, unknown>;
}

/** What a key is the hash of; a snapshot's manifest holds all of it, so that `verify` computes the keys anew. */
export interface KeyParts extends Pick<Recipe, 'stage' | 'inputs' | 'code' | 'parameters' | 'runtime'> {
  packages?: Recipe['packages'] | undefined;
  /** In place of `packages` in older snapshots: hash of the whole lock file. */
  lock?: string | undefined;
}

export function keyOf({ stage, inputs, code, packages, lock, parameters, runtime }: KeyParts): string {
  return sha256Json({ stage, inputs, code, packages, lock, parameters, runtime });
}

/** What a catalog says about a file for people: no stage but the snapshot sees it, so changing it reruns no other. */
const ABOUT = ['title', 'producer', 'citation', 'licence', 'release', 'access', 'url', 'notes'] as const;

/** The catalog entries that a stage reads, without what is there for people unless the stage publishes that. */
export function sourcesRead(stage: Stage, { sources }: Pick<Country, 'sources'>): Source[] {
  const read = sources.filter(stage.reads);
  if (stage.publishes_catalog) return read;
  return read.map((source) => {
    const form: Partial<Source> = structuredClone(source);
    for (const field of ABOUT) delete form[field];
    form.files = source.files.map(({ path, period, rows }) => ({
      path,
      ...(period === undefined ? {} : { period }),
      ...(rows === undefined ? {} : { rows }),
    }));
    return form as Source;
  });
}

/** The parts of model.json that a stage declared, in model.json's shape; the rest is absent. */
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
 * What a stage would be made of now. `artifacts` holds the content hash of every input artifact, `raw` of every raw
 * file. The key is the hash of all of it.
 */
export function recipeOf(
  stage: Stage,
  country: Country,
  raw: Record<string, string>,
  artifacts: Record<string, string>,
): Recipe {
  const inputs: Record<string, string> = {};
  const catalog: Record<string, unknown> = {};
  for (const source of sourcesRead(stage, country)) {
    catalog[source.id] = source;
    inputs[`catalog ${source.id}`] = sha256Json(source);
    for (const file of source.files) inputs[`raw ${file.path}`] = raw[file.path]!;
  }
  for (const name of stage.inputs) inputs[name] = artifacts[name]!;
  const { files, packages } = codeOf(stage.module);
  const parts = {
    stage: stage.name,
    inputs,
    code: files,
    packages,
    parameters: modelRead(stage, country.model),
    runtime: RUNTIME,
  };
  return { ...parts, catalog, key: keyOf(parts) };
}
