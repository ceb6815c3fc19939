import { type CacheEntry, findEntry, latestEntry } from './cache.ts';
import type { Country } from './country.ts';
import { recipeOf } from './recipe.ts';
import type { Stage } from './stage.ts';
import { causesOf } from './why.ts';

/** What is known of a stage before a build. */
export interface PlannedStage {
  stage: string;
  /** `cached`: nothing changed; `run`: it will run; `depends`: known once the stages before it have run. */
  status: 'cached' | 'run' | 'depends';
  causes: string[];
}

/** What running the stages would do, without doing it; and the entries of those that need not run. */
export function planStages(
  stages: readonly Stage[],
  country: Country,
  raw: Record<string, string>,
  cache: string,
  lock: string,
): { planned: PlannedStage[]; entries: CacheEntry[] } {
  const artifacts: Record<string, string> = {};
  const entries: CacheEntry[] = [];
  const planned = stages.map((stage): PlannedStage => {
    const waits = waitsFor(stage, artifacts);
    if (waits.length > 0) {
      const own = ownCauses(stage, country, raw, artifacts, cache, lock);
      return { stage: stage.name, status: own.length > 0 ? 'run' : 'depends', causes: [...own, ...waits] };
    }
    const recipe = recipeOf(stage, country, raw, artifacts, lock);
    const entry = findEntry(cache, stage.name, recipe.key);
    if (!entry) {
      const latest = latestEntry(cache, stage.name, country.model.country);
      const causes = causesOf(recipe, latest, { cache, rawData: country.rawData });
      return { stage: stage.name, status: 'run', causes };
    }
    entries.push(entry);
    for (const [name, hash] of Object.entries(entry.outputs)) artifacts[`${stage.name}/${name}`] = hash;
    return { stage: stage.name, status: 'cached', causes: [] };
  });
  return { planned, entries };
}

/** Why a stage will run whatever the stages before it hand on: what changed of the rest of what it is made of. */
function ownCauses(
  stage: Stage,
  country: Country,
  raw: Record<string, string>,
  artifacts: Record<string, string>,
  cache: string,
  lock: string,
): string[] {
  const latest = latestEntry(cache, stage.name, country.model.country);
  if (!latest) return [];
  const recipe = recipeOf(stage, country, raw, { ...latest.inputs, ...artifacts }, lock);
  return recipe.key === latest.key ? [] : causesOf(recipe, latest, { cache, rawData: country.rawData });
}

/** The stages whose artifacts are not known before they have run, in words; none: all are known. */
export function waitsFor(stage: Stage, artifacts: Record<string, string>): string[] {
  const missing = stage.inputs.filter((name) => !(name in artifacts)).map((name) => name.split('/')[0]!);
  return [...new Set(missing)].map((name) => `runs if ${name} hands on something else than before`);
}
