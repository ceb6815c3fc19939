import path from 'node:path';
import type { Model, Source } from '../catalog.ts';
import { type CacheEntry, findEntry, latestEntry } from './cache.ts';
import { codeFiles } from './code.ts';
import type { Country } from './country.ts';
import { sha256File, sha256Json } from './hash.ts';
import type { Stage } from './stage.ts';

/** All that a stage's key is made of; the entry it would have in the cache, but for its outputs. */
export type Recipe = Omit<CacheEntry, 'outputs'>;

/** Content hashes of the country's raw files: path -> SHA-256. */
export async function hashRawFiles(country: Country): Promise<Record<string, string>> {
  const files = country.sources.flatMap((source) => source.files.map((file) => file.path)).sort();
  const hashes: Record<string, string> = {};
  for (const file of files) hashes[file] = await sha256File(path.join(country.rawData, file));
  return hashes;
}

/** The sources that a stage reads. */
export function sourcesRead(stage: Stage, country: Country): Source[] {
  return country.sources.filter(stage.reads);
}

/** The parts of model.json that a stage declared, in model.json's shape; the rest is absent. */
export function modelRead(stage: Stage, model: Model): Model {
  const part: Record<string, unknown> = {};
  const parameters: Record<string, unknown> = {};
  for (const name of stage.model) {
    const [head, inner] = name.split('.') as [keyof Model, string | undefined];
    if (inner === undefined) part[head] = model[head];
    else parameters[inner] = model.parameters[inner as keyof Model['parameters']];
  }
  if (Object.keys(parameters).length > 0) part.parameters = parameters;
  return part as unknown as Model;
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
  lock: string,
): Recipe {
  const inputs: Record<string, string> = {};
  for (const source of sourcesRead(stage, country)) {
    inputs[`catalog ${source.id}`] = sha256Json(source);
    for (const file of source.files) inputs[`raw ${file.path}`] = raw[file.path]!;
  }
  for (const name of stage.inputs) inputs[name] = artifacts[name]!;
  const recipe = {
    stage: stage.name,
    inputs,
    code: codeFiles(stage.module),
    parameters: modelRead(stage, country.model),
    lock,
  };
  return { ...recipe, key: sha256Json(recipe) };
}

/** What is known of a stage before a build. */
export interface PlannedStage {
  stage: string;
  /** `cached`: nothing changed; `run`: it will run; `depends`: known once the stages before it have run. */
  status: 'cached' | 'run' | 'depends';
  causes: string[];
}

/** What a build would do, without doing it. */
export async function planStages(
  stages: readonly Stage[],
  country: Country,
  cache: string,
  lock: string,
): Promise<PlannedStage[]> {
  const raw = await hashRawFiles(country);
  const artifacts: Record<string, string> = {};
  return stages.map((stage) => {
    const waits = [...new Set(stage.inputs.filter((name) => !(name in artifacts)).map((name) => name.split('/')[0]!))];
    if (waits.length > 0)
      return { stage: stage.name, status: 'depends', causes: waits.map((name) => `reads ${name}, which runs first`) };
    const recipe = recipeOf(stage, country, raw, artifacts, lock);
    const entry = findEntry(cache, stage.name, recipe.key);
    if (!entry) return { stage: stage.name, status: 'run', causes: causesOf(recipe, latestEntry(cache, stage.name)) };
    for (const [name, hash] of Object.entries(entry.outputs)) artifacts[`${stage.name}/${name}`] = hash;
    return { stage: stage.name, status: 'cached', causes: [] };
  });
}

/** In words, what differs between a recipe and the last one that was built. */
export function causesOf(recipe: Recipe, latest: Recipe | null): string[] {
  if (!latest) return ['never run here'];
  const causes = [
    ...differences(recipe.inputs, latest.inputs).map(
      (name) => `${name} ${name.includes(' ') ? '' : '(an artifact) '}changed`,
    ),
    ...differences(recipe.code, latest.code).map((name) => `code ${name} changed`),
  ];
  const now = recipe.parameters as Record<string, unknown>;
  const then = latest.parameters as Record<string, unknown>;
  if (sha256Json(now) !== sha256Json(then)) causes.push('its part of model.json changed');
  if (recipe.lock !== latest.lock) causes.push('package-lock.json changed');
  return causes.length > 0 ? causes : ['its results are no longer in the cache'];
}

function differences(now: Record<string, string>, then: Record<string, string>): string[] {
  return [...new Set([...Object.keys(now), ...Object.keys(then)])].filter((name) => now[name] !== then[name]).sort();
}
