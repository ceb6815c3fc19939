import { type CacheEntry, findEntry, latestEntry } from './cache.ts';
import { stageCacheKey } from './cache-key.ts';
import { explainRun } from './explain-run.ts';
import type { Project, Stage } from './stage.ts';

/** What a plan says about a stage before a build. */
export interface PlannedStage {
  stage: string;
  /** `cached`: nothing changed; `run`: it will run; `depends`: the stages before it will decide. */
  status: 'cached' | 'run' | 'depends';
  causes: string[];
  /** How long it took when it last ran for this project; null if it never did, 0 if it need not run. */
  seconds: number | null;
}

/** What running the stages would do, without doing it, and the entries of those that need not run. */
export function planStages<ProjectStage extends Stage>(
  stages: readonly ProjectStage[],
  project: Project<ProjectStage>,
  cache: string,
): { planned: PlannedStage[]; entries: CacheEntry[] } {
  const artifacts: Record<string, string> = {};
  const entries: CacheEntry[] = [];
  const planned = stages.map((stage): PlannedStage => {
    const planWithoutInputs = planWithMissingInputs(stage, project, artifacts, cache);
    if (planWithoutInputs) return planWithoutInputs;
    const cacheKey = stageCacheKey(stage, project, artifacts);
    const entry = findEntry(cache, stage.name, cacheKey.key);
    if (!entry) {
      const latest = latestEntry(cache, stage.name, project.name);
      const causes = explainRun(cacheKey, latest, { cache, rawData: project.rawData });
      return { stage: stage.name, status: 'run', causes, seconds: latest?.seconds ?? null };
    }
    entries.push(entry);
    for (const [name, hash] of Object.entries(entry.outputs)) artifacts[`${stage.name}/${name}`] = hash;
    return { stage: stage.name, status: 'cached', causes: [], seconds: 0 };
  });
  return { planned, entries };
}

/**
 * The plan of a stage some of whose inputs are yet to be made: it will run, because something else has changed, or it
 * may. Null if all its inputs exist.
 */
export function planWithMissingInputs<ProjectStage extends Stage>(
  stage: ProjectStage,
  project: Project<ProjectStage>,
  artifacts: Record<string, string>,
  cache: string,
): PlannedStage | null {
  const missing = stage.inputs.filter((name) => !(name in artifacts)).map((name) => name.split('/')[0]!);
  if (missing.length === 0) return null;
  const producers = [...new Set(missing)];
  const producerList = [producers.slice(0, -1).join(', '), producers.at(-1)!].filter(Boolean).join(' or ');
  const condition = `runs if the output of ${producerList} changes`;
  const latest = latestEntry(cache, stage.name, project.name);
  const cacheKey = latest && stageCacheKey(stage, project, { ...latest.inputs, ...artifacts });
  const hasChanged = cacheKey !== null && cacheKey.key !== latest!.key;
  const causes = hasChanged ? explainRun(cacheKey, latest, { cache, rawData: project.rawData }) : [];
  const status = hasChanged ? 'run' : 'depends';
  return { stage: stage.name, status, causes: [...causes, condition], seconds: latest?.seconds ?? null };
}

/**
 * How long the planned stages took in earlier runs, in all, and how long they will take with up to `jobs` at once: each
 * waits for those whose outputs it reads. Null if one of them never ran.
 */
export function expectedDuration(
  planned: readonly PlannedStage[],
  stages: readonly Stage[],
  jobs: number,
): { total: number; elapsed: number } | null {
  let total = 0;
  const ends: Record<string, number> = {};
  for (const { stage, seconds } of planned) {
    if (seconds === null) return null;
    const { inputs } = stages.find(({ name }) => name === stage)!;
    ends[stage] = seconds + Math.max(0, ...inputs.map((name) => ends[name.split('/')[0]!] ?? 0));
    total += seconds;
  }
  return { total, elapsed: Math.max(total / jobs, ...Object.values(ends)) };
}
