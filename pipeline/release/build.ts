/** A complete build: the stages that changed, then the snapshot, which is a candidate until it is published. */

import { type Country, readCountry } from '../catalog/country.ts';
import { type CountryStage, countryProject } from '../catalog/country-stage.ts';
import { unpinnedFiles } from '../catalog/pins.ts';
import { countryWords, wordingInCountry } from '../contract/words.ts';
import { type CacheEntry, latestEntry, readArtifact, recordLatest, removeTemporaries } from '../engine/cache.ts';
import { type CacheKey, stageCacheKey } from '../engine/cache-key.ts';
import { explainRun } from '../engine/explain-run.ts';
import { lockShared, runIfUnused } from '../engine/lock.ts';
import { type PlannedStage, planStages, planWithMissingInputs } from '../engine/plan.ts';
import { storeRowChecksums } from '../engine/raw-files.ts';
import { artifactHashes, refuseChangedFiles, runStages, type StageEvent } from '../engine/run-stages.ts';
import type { ReportLine } from '../engine/stage.ts';
import { storeAcceptedFiles } from '../intake/accepted-files.ts';
import { codeState, codeVersion } from '../lib/code-state.ts';
import { UsageError } from '../lib/errors.ts';
import { versionSuffix } from '../publish/snapshot/manifest-check.ts';
import { catalogFindings, type Finding } from '../publish/snapshot/provenance.ts';
import { EVALUATION_STAGES, SNAPSHOT, STAGES } from '../stages.ts';
import { cacheFolder } from './build-paths.ts';
import { clearUnfinished, hashOfManifest, isBuilt, makeCandidate } from './candidate.ts';
import { noteCandidate } from './candidates.ts';
import { hashRawFiles } from './raw-hashes.ts';

/** What to build, and where. */
export interface BuildTarget {
  country: string;
  rawData?: string | undefined;
  /** Uses raw files even if they differ from the catalog's pins: for trials only. */
  unpinned?: boolean | undefined;
  out: string;
  updatedAt?: string | undefined;
  /** Skips validation and backtest: quicker, for trials only. */
  withoutValidation?: boolean | undefined;
}

export interface BuildOptions extends BuildTarget {
  jobs: number;
  /** The command line, recorded with the candidate. */
  command?: string;
  onEvent: (event: StageEvent) => void;
}

export interface BuildResult {
  model_version: string;
  directory: string;
  /** Whether this version had been built before. */
  already: boolean;
  /** Why it may not be published; empty if it may. */
  unpublishable: string[];
  /** SHA-256 of its manifest.json, as `verify` prints it. */
  manifest_sha256: string;
  findings: Finding[];
}

/**
 * Builds a country's snapshot, a candidate for publishing. Any number of builds may share `out`.
 * @throws BadInput if a raw file or the catalog is invalid
 */
export async function build(options: BuildOptions): Promise<BuildResult> {
  const { out, jobs, onEvent } = options;
  const country = withUpdatedAt(readCountry(options.country, options.rawData), options.updatedAt);
  const cache = cacheFolder(out);
  runIfUnused(out, () => {
    removeTemporaries(cache);
    clearUnfinished(out);
  });
  const lock = lockShared(out);
  try {
    const rawHashes = await hashRawFiles(country, options.unpinned);
    await storeAcceptedFiles(out, country, rawHashes);
    onEvent({ type: 'expected', seconds: expectedSeconds(cache, country) });
    const { stages } = stageTable(options);
    const entries = await runStages(stages, { project: countryProject(country, rawHashes), cache, jobs, onEvent });
    for (const entry of entries) await recordLatest(cache, entry, country.model.country);
    await storeRowChecksums(cache, country.rawData, rawHashes);
    const findings = collectFindings(country, rawHashes, cache, entries);
    const result = await buildSnapshot(options, country, rawHashes, entries, findings);
    await noteCandidate(out, {
      version: result.model_version,
      built_at: new Date().toISOString(),
      command: options.command ?? 'build',
      code: codeState(),
    });
    return { ...result, findings };
  } finally {
    lock.release();
  }
}

/** What a build would do, without doing it. */
export async function planBuild(options: BuildTarget): Promise<PlannedStage[]> {
  const { out } = options;
  const country = withUpdatedAt(readCountry(options.country, options.rawData), options.updatedAt);
  const cache = cacheFolder(out);
  const rawHashes = await hashRawFiles(country, options.unpinned);
  const { stages, snapshot } = stageTable(options);
  const project = countryProject(country, rawHashes);
  const { planned, entries } = planStages(stages, project, cache);
  const artifacts = artifactHashes(entries);
  const waiting = planWithMissingInputs(snapshot, project, artifacts, cache);
  if (waiting) return [...planned, waiting];
  const cacheKey = stageCacheKey(snapshot, project, artifacts);
  const { version, keys } = versionWithKeys(
    country,
    [...entries, cacheKey],
    unpublishableReasons(options, country, rawHashes),
  );
  if (isBuilt(out, version, keys))
    return [...planned, { stage: SNAPSHOT.name, status: 'cached', causes: [], seconds: 0 }];
  const seconds = latestEntry(cache, SNAPSHOT.name, country.model.country)?.seconds ?? null;
  const causes = snapshotCauses(country, cache, cacheKey, version);
  return [...planned, { stage: SNAPSHOT.name, status: 'run', causes, seconds }];
}

/** The stage table, without the validating stages if they are to be skipped. */
function stageTable({ withoutValidation }: BuildTarget): { stages: readonly CountryStage[]; snapshot: CountryStage } {
  if (!withoutValidation) return { stages: STAGES, snapshot: SNAPSHOT };
  const inputs = SNAPSHOT.inputs.filter((name) => !EVALUATION_STAGES.includes(name.split('/')[0]!));
  return { stages: STAGES.filter(({ name }) => !EVALUATION_STAGES.includes(name)), snapshot: { ...SNAPSHOT, inputs } };
}

/** The reasons why this build may not be published. */
function unpublishableReasons(
  { withoutValidation }: BuildTarget,
  { sources }: Country,
  rawHashes: Readonly<Record<string, string>>,
): string[] {
  const unpinned = unpinnedFiles(sources, rawHashes).map(({ path }) => path);
  return [
    ...(withoutValidation ? ['built without validation'] : []),
    ...(unpinned.length > 0
      ? [
          `built with --unpinned from files that the catalog has not accepted: ${unpinned.join(', ')}; accept them (\`malaria-risk catalog update\`), and build again`,
        ]
      : []),
  ];
}

async function buildSnapshot(
  options: BuildOptions,
  country: Country,
  rawHashes: Record<string, string>,
  entries: readonly CacheEntry[],
  findings: readonly Finding[],
) {
  const { out, onEvent } = options;
  const cache = cacheFolder(out);
  const stage = SNAPSHOT.name;
  const cacheKey = stageCacheKey(
    stageTable(options).snapshot,
    countryProject(country, rawHashes),
    artifactHashes(entries),
  );
  const reasons = unpublishableReasons(options, country, rawHashes);
  const { version, keys } = versionWithKeys(country, [...entries, cacheKey], reasons);
  const startedAt = performance.now();
  const { directory, already } = await makeCandidate(out, {
    version,
    keys,
    async write(temporary) {
      onEvent({ type: 'started', stage, causes: snapshotCauses(country, cache, cacheKey, version) });
      // Loaded only if there is something to write: a build with nothing to do is over before these would have loaded.
      const { writeSnapshot } = await import('../publish/snapshot-stage.ts');
      await writeSnapshot(temporary, {
        model: country.model,
        sources: country.sources,
        model_version: version,
        code_version: codeVersion(),
        unpublishable: reasons,
        raw: rawHashes,
        entries,
        cacheKey,
        cache,
        artifact: (name) => readOutput(cache, entries, name),
        findings,
        progress: (share, what) =>
          onEvent({ type: 'progress', stage, share: share * 0.7, ...(what === undefined ? {} : { what }) }),
      });
    },
    async check(temporary) {
      await refuseChangedFiles(cacheKey, country.rawData);
      const { verifySnapshot } = await import('../publish/snapshot/verify.ts');
      const { faults } = await verifySnapshot(temporary, (share) =>
        onEvent({ type: 'progress', stage, share: 0.7 + 0.3 * share, what: 'check' }),
      );
      if (faults.length > 0)
        throw new Error(
          `${temporary} must not be published; it has ${faults.length} faults: ${faults.slice(0, 5).join('; ')}`,
        );
    },
  });
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  if (!already) await recordLatest(cache, { ...cacheKey, outputs: {}, counts: {}, seconds }, country.model.country);
  onEvent(already ? { type: 'cached', stage } : { type: 'finished', stage, seconds });
  const manifest_sha256 = hashOfManifest(directory);
  return { model_version: version, directory, already, unpublishable: reasons, manifest_sha256 };
}

function snapshotCauses(country: Country, cache: string, cacheKey: CacheKey, version: string): string[] {
  const latest = latestEntry(cache, SNAPSHOT.name, country.model.country);
  const location = { cache, rawData: country.rawData };
  const hasSameInputs = latest?.key === cacheKey.key;
  return hasSameInputs ? [`${version} has not been built here`] : explainRun(cacheKey, latest, location);
}

function readOutput<T>(cache: string, entries: readonly CacheEntry[], name: string): T {
  const [stage, output] = name.split('/') as [string, string];
  return readArtifact<T>(cache, entries.find((entry) => entry.stage === stage)!, output);
}

function collectFindings(
  country: Country,
  rawHashes: Record<string, string>,
  cache: string,
  entries: readonly CacheEntry[],
): Finding[] {
  const reports = entries.flatMap(({ stage }) =>
    readOutput<ReportLine[]>(cache, entries, `${stage}/report`).map((line) => ({ stage, ...line })),
  );
  const words = countryWords(country.model.territory);
  const findings = [...catalogFindings(country.sources, rawHashes), ...reports];
  return findings.map((finding) => ({ ...finding, what: wordingInCountry(finding.what, words) }));
}

function expectedSeconds(cache: string, { model }: Country): Record<string, number> {
  const stages = [...STAGES, SNAPSHOT].flatMap(({ name }) => latestEntry(cache, name, model.country) ?? []);
  return Object.fromEntries(stages.map(({ stage, seconds }) => [stage, seconds]));
}

/** The country, with `updated_at` replaced if another time is given. */
function withUpdatedAt(country: Country, updatedAt: string | undefined): Country {
  if (updatedAt === undefined) return country;
  const time = new Date(updatedAt);
  // Without a time zone it would mean another time on another machine.
  const hasZone = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(updatedAt);
  if (!hasZone || Number.isNaN(time.getTime()))
    throw new UsageError(
      `--updated-at: found ${updatedAt}, expected a time with a time zone, such as 2026-11-21T00:00:00Z`,
    );
  return { ...country, model: { ...country.model, updated_at: time.toISOString() } };
}

/** `<country>-<release>-<8 hex digits>`, these from all stages' keys, updated_at, code version and `unpublishable`. */
function versionWithKeys({ model }: Country, cacheKeys: readonly CacheKey[], reasons: readonly string[]) {
  const keys = Object.fromEntries(cacheKeys.map(({ stage, key }) => [stage, key]));
  const suffix = versionSuffix(keys, {
    updated_at: model.updated_at,
    code_version: codeVersion(),
    ...(reasons.length > 0 ? { unpublishable: [...reasons] } : {}),
  });
  return { keys, version: `${model.country}-${model.release}-${suffix}` };
}
