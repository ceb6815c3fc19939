/** A whole build: the stages that changed, then the snapshot, then `current`. */
import type { ReportLine } from './artifacts.ts';
import type { StageRecord } from './contract/manifest.ts';
import { type CacheEntry, readArtifact } from './engine/cache.ts';
import { lockHash } from './engine/code.ts';
import { type Country, readCountry } from './engine/country.ts';
import { sha256Json } from './engine/hash.ts';
import { hashRawFiles, type Recipe, recipeOf } from './engine/plan.ts';
import { artifactHashes, runStages, type StageEvent } from './engine/run.ts';
import { writeSnapshot } from './snapshot/build.ts';
import { cacheOf, publish } from './snapshot/publish.ts';
import { verifySnapshot } from './snapshot/verify.ts';
import { SNAPSHOT, STAGES } from './stages.ts';

export interface BuildOptions {
  country: string;
  rawData?: string | undefined;
  out: string;
  updatedAt?: string | undefined;
  jobs: number;
  onEvent: (event: StageEvent) => void;
}

export interface BuildResult {
  model_version: string;
  directory: string;
  /** Whether this very version had been published before. */
  already: boolean;
  findings: (ReportLine & { stage: string })[];
}

/**
 * Builds and publishes a country's snapshot.
 * @throws BadInput for a raw file or catalog that is not as it should be; nothing published is touched then
 */
export async function build(options: BuildOptions): Promise<BuildResult> {
  const country = withUpdatedAt(readCountry(options.country, options.rawData), options.updatedAt);
  const cache = cacheOf(options.out);
  const entries = await runStages(STAGES, country, cache, options.jobs, options.onEvent);
  const raw = await hashRawFiles(country);
  const byStage = Object.fromEntries(entries.map((entry) => [entry.stage, entry]));
  const snapshot = recipeOf(SNAPSHOT, country, raw, artifactHashes(byStage), lockHash());
  const keys = Object.fromEntries([...entries, snapshot].map(({ stage, key }) => [stage, key]));
  const model_version = versionOf(country, keys);
  const artifact = <T>(name: string): T => {
    const [stage, own] = name.split('/') as [string, string];
    return readArtifact<T>(cache, byStage[stage]!, own);
  };
  const findings = [
    ...otherReleases(country, raw),
    ...STAGES.flatMap(({ name }) => artifact<ReportLine[]>(`${name}/report`).map((line) => ({ stage: name, ...line }))),
  ];

  const began = performance.now();
  const { directory, already } = await publish(
    options.out,
    model_version,
    keys,
    async (aside) => {
      options.onEvent({ type: 'started', stage: SNAPSHOT.name, causes: [`${model_version} is new`] });
      const progress = (share: number, what?: string) =>
        options.onEvent({ type: 'progress', stage: SNAPSHOT.name, share, ...(what === undefined ? {} : { what }) });
      await writeSnapshot(aside, {
        model: country.model,
        sources: country.sources,
        model_version,
        lock_file: snapshot.lock,
        stages: [...entries.map(recordOf), recordOf({ ...snapshot, outputs: {} })],
        artifact,
        findings,
        progress,
      });
    },
    (aside) => {
      const { faults } = verifySnapshot(aside);
      if (faults.length > 0)
        throw new Error(
          `the snapshot is not fit to be published, ${faults.length} faults: ${faults.slice(0, 5).join('; ')}`,
        );
    },
  );
  options.onEvent(
    already
      ? { type: 'cached', stage: SNAPSHOT.name }
      : { type: 'finished', stage: SNAPSHOT.name, seconds: (performance.now() - began) / 1000 },
  );
  return { model_version, directory, already, findings };
}

/** The country with `updated_at` replaced, if asked. */
export function withUpdatedAt(country: Country, updatedAt: string | undefined): Country {
  if (updatedAt === undefined) return country;
  const time = new Date(updatedAt);
  if (Number.isNaN(time.getTime()))
    throw new RangeError(`--updated-at: found ${updatedAt}, expected a time such as 2026-11-21T00:00:00Z`);
  return { ...country, model: { ...country.model, updated_at: time.toISOString() } };
}

/** `<country>-<release>-<8 hex of all stages' keys and updated_at>`. */
function versionOf({ model }: Country, keys: Record<string, string>): string {
  return `${model.country}-${model.release}-${sha256Json({ keys, updated_at: model.updated_at }).slice(0, 8)}`;
}

function recordOf(entry: Recipe | CacheEntry): StageRecord {
  return {
    stage: entry.stage,
    key: entry.key,
    code: sha256Json(entry.code),
    inputs: entry.inputs,
    parameters: entry.parameters,
    outputs: 'outputs' in entry ? entry.outputs : {},
  };
}

/** Raw files that are not the ones the catalog knows: well-formed, as ingest took them, but of another release. */
function otherReleases({ sources }: Country, raw: Record<string, string>): (ReportLine & { stage: string })[] {
  return sources.flatMap((source) =>
    source.files
      .filter(({ path, sha256 }) => sha256 !== undefined && raw[path] !== sha256)
      .map(({ path, sha256 }) => ({
        stage: 'catalog',
        source: source.id,
        rule: 'another file than catalogued',
        what: `${path}: SHA-256 ${raw[path]}, the catalog says ${sha256}; the figures come from the file found`,
      })),
  );
}
