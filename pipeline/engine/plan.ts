import { type CacheEntry, findEntry, latestEntry } from './cache.ts';
import { stageCacheKey } from './cache-key.ts';
import type { Project, Stage } from './stage.ts';
import { explainRun } from './why.ts';

/** What is known about a stage before a build. */
export interface PlannedStage {
  stage: string;
  /** `cached`: nothing changed; `run`: it will run; `depends`: the stages before it will decide. */
  status: 'cached' | 'run' | 'depends';
  causes: string[];
}

/** What running the stages would do, without doing it, and the entries of those that need not run. */
export function planStages<OwnStage extends Stage>(
  stages: readonly OwnStage[],
  project: Project<OwnStage>,
  cache: string,
): { planned: PlannedStage[]; entries: CacheEntry[] } {
  const artifacts: Record<string, string> = {};
  const entries: CacheEntry[] = [];
  const planned = stages.map((stage): PlannedStage => {
    const waiting = waitingFor(stage, project, artifacts, cache);
    if (waiting) return waiting;
    const cacheKey = stageCacheKey(stage, project, artifacts);
    const entry = findEntry(cache, stage.name, cacheKey.key);
    if (!entry) {
      const latest = latestEntry(cache, stage.name, project.name);
      const causes = explainRun(cacheKey, latest, { cache, rawData: project.rawData });
      return { stage: stage.name, status: 'run', causes };
    }
    entries.push(entry);
    for (const [name, hash] of Object.entries(entry.outputs)) artifacts[`${stage.name}/${name}`] = hash;
    return { stage: stage.name, status: 'cached', causes: [] };
  });
  return { planned, entries };
}

/**
 * What is known about a stage some of whose inputs are yet to be made: that it will run, because something else has
 * changed, or that it may. Null if all its inputs are known.
 */
export function waitingFor<OwnStage extends Stage>(
  stage: OwnStage,
  project: Project<OwnStage>,
  artifacts: Record<string, string>,
  cache: string,
): PlannedStage | null {
  const missing = stage.inputs.filter((name) => !(name in artifacts)).map((name) => name.split('/')[0]!);
  if (missing.length === 0) return null;
  const makers = [...new Set(missing)];
  const list = [makers.slice(0, -1).join(', '), makers.at(-1)!].filter(Boolean).join(' or ');
  const wait = `runs if the output of ${list} changes`;
  const latest = latestEntry(cache, stage.name, project.name);
  const cacheKey = latest && stageCacheKey(stage, project, { ...latest.inputs, ...artifacts });
  const changed = cacheKey !== null && cacheKey.key !== latest!.key;
  const own = changed ? explainRun(cacheKey, latest, { cache, rawData: project.rawData }) : [];
  return { stage: stage.name, status: changed ? 'run' : 'depends', causes: [...own, wait] };
}
