/** The index of releases for key holders, which `publish` writes beside the snapshots. */
import { ENCODINGS, type FileEntry, type Manifest, strongEtag } from '../contract/manifest.ts';
import { periodRange } from '../contract/months.ts';
import { RELEASE_OPERATIONS } from '../contract/operations.ts';
import { diffPath, RELEASES_FOLDER, type ReleaseIndex, releaseIndexFile } from '../contract/published.ts';
import type * as schemas from '../contract/schemas.ts';
import { sha256 } from '../lib/hash.ts';
import { parseStored } from '../lib/stored-json.ts';
import type { SnapshotDiff } from '../publish/snapshot/diff.ts';
import type { Snapshot } from '../publish/snapshot/open-snapshot.ts';
import { compress } from '../publish/snapshot/snapshot-writer.ts';
import type { Review } from './review.ts';

/**
 * Maximum number of earlier versions and diffs that are served: each needs memory in every proxy, and disk space in
 * mirrors.
 */
export const MOST_KEPT_VERSIONS = 12;

type VersionEntry = schemas.Versions['versions'][number];
type ReleaseEntry = schemas.Versions['releases'][number];

/** The files below `releases/` of a destination, and which versions it contains. */
export interface ReleaseFiles {
  read(name: string): Promise<Buffer | null>;
  write(name: string, bytes: Buffer): Promise<void>;
  has(version: string): boolean;
}

export interface Publishing {
  /** The version that is being replaced; null if there is none. */
  before: Snapshot | null;
  after: Snapshot;
  review: Review;
  releasedAt: string;
  note: string | null;
  /** For how many days the replaced version is promised to stay available. */
  keepDays: number | null;
}

/** Writes the index that takes effect once `after` is current. Nothing points to it until then. */
export async function writeReleaseIndex(files: ReleaseFiles, publishing: Publishing): Promise<void> {
  const { before, after, review, releasedAt, keepDays } = publishing;
  const { model_version } = after.manifest;
  const index = before && (await readReleaseIndex(files, before.manifest.model_version));
  const listedVersions = index?.versions.versions ?? (before ? [versionEntry(before.manifest)] : []);
  const sunset = keepDays === null ? null : new Date(Date.parse(releasedAt) + keepDays * 86_400_000).toISOString();
  const earlier = listedVersions
    .filter((version) => version.model_version !== model_version)
    .map((version) => (version.replaced_at === null ? { ...version, replaced_at: releasedAt, sunset } : version));
  const release = releaseEntry(
    publishing,
    listedVersions.some((version) => version.model_version === model_version),
  );
  const diff = review.diff && before ? diffPath(before.manifest.model_version, model_version) : null;
  // The diff of two versions never changes, so it is written only once.
  if (diff && !(await files.read(diff))) await writeEncoded(files, diff, JSON.stringify(servedDiff(review.diff!)));
  await writeIndex(files, releasedAt, {
    current: model_version,
    versions: [versionEntry(after.manifest), ...earlier],
    releases: [release, ...(index?.versions.releases ?? [])],
  });
}

/** Rewrites the index for the versions that still exist. */
export async function refreshReleaseIndex(files: ReleaseFiles, current: string, now: string): Promise<void> {
  const index = await readReleaseIndex(files, current);
  if (index) await writeIndex(files, now, index.versions);
}

/** The index that is in effect while `version` is current; null if it was published before there was an index. */
export async function readReleaseIndex(
  files: Pick<ReleaseFiles, 'read'>,
  version: string,
): Promise<{ manifest: ReleaseIndex; versions: schemas.Versions } | null> {
  const readJson = async <Content>(name: string): Promise<Content | null> => {
    const bytes = await files.read(name);
    return bytes && parseStored(bytes, `${RELEASES_FOLDER}/${name}`, INDEX_ADVICE);
  };
  const manifest = await readJson<ReleaseIndex>(releaseIndexFile(version));
  if (!manifest) return null;
  const versions = await readJson<schemas.Versions>(manifest.answers[VERSIONS_OPERATION.path]!);
  return versions && { manifest, versions };
}

const INDEX_ADVICE = 'copy it from a backup, or move it away: the list of releases then begins anew';

const [VERSIONS_OPERATION] = RELEASE_OPERATIONS;

async function writeIndex(files: ReleaseFiles, now: string, history: schemas.Versions): Promise<void> {
  const { current } = history;
  let keptCount = 0;
  const versions = history.versions.map((version): VersionEntry => {
    const { model_version, sunset } = version;
    const isKept =
      model_version === current ||
      (files.has(model_version) && (sunset === null || sunset > now) && keptCount++ < MOST_KEPT_VERSIONS);
    const status = model_version === current ? 'current' : isKept ? 'kept' : 'gone';
    return { ...version, status, path: isKept ? `/v1/versions/${model_version}` : null };
  });
  const entries: Record<string, FileEntry> = {};
  const answers: Record<string, string> = {};
  const addAnswer = async (address: string, name: string) => {
    for (const ending of ['', ...Object.values(ENCODINGS)]) {
      const bytes = await files.read(name + ending);
      if (!bytes) return false;
      entries[name + ending] = fileEntry(bytes);
    }
    answers[address] = name;
    return true;
  };
  const releases: ReleaseEntry[] = [];
  for (const [index, release] of history.releases.entries()) {
    const { replaces, model_version } = release;
    let diff: string | null = null;
    if (replaces !== null && index <= MOST_KEPT_VERSIONS) {
      const address = `/v1/versions/${replaces}/diff/${model_version}`;
      if (address in answers || (await addAnswer(address, diffPath(replaces, model_version)))) diff = address;
    }
    releases.push({ ...release, diff });
  }
  const name = `${current}/index/versions.json`;
  await writeEncoded(files, name, JSON.stringify({ current, versions, releases } satisfies schemas.Versions));
  await addAnswer(VERSIONS_OPERATION.path, name);
  const earlier = versions.flatMap(({ model_version, status, replaced_at, sunset }) =>
    status === 'kept' ? [{ model_version, replaced_at: replaced_at!, sunset }] : [],
  );
  const manifest: ReleaseIndex = { format: 1, current, earlier, answers, files: entries };
  await files.write(releaseIndexFile(current), Buffer.from(JSON.stringify(manifest)));
}

async function writeEncoded({ write: writeFile }: ReleaseFiles, name: string, text: string): Promise<void> {
  const { gzip, brotli } = await compress(text);
  await writeFile(name + ENCODINGS.gzip, gzip);
  await writeFile(name + ENCODINGS.br, brotli);
  // Last, so that where it exists its compressed copies do too.
  await writeFile(name, Buffer.from(text));
}

function fileEntry(bytes: Buffer): FileEntry {
  const hash = sha256(bytes);
  return { bytes: bytes.length, sha256: hash, etag: strongEtag(hash) };
}

function versionEntry({ model_version, updated_at, contract_version, coverage }: Manifest): VersionEntry {
  const { first_estimated, last_estimated, last_forecast } = coverage;
  return {
    model_version,
    status: 'current',
    path: null,
    updated_at,
    contract_version,
    first_estimated,
    last_estimated,
    last_forecast,
    replaced_at: null,
    sunset: null,
  };
}

function releaseEntry({ before, after, review, releasedAt, note }: Publishing, rollback: boolean): ReleaseEntry {
  const estimatedMonths = ({ coverage }: Manifest) => periodRange(coverage.first_estimated, coverage.last_estimated);
  const estimated = new Set(before ? estimatedMonths(before.manifest) : []);
  const { sources, making, diff } = review;
  const changed = [
    sources.length > 0 && ('data' as const),
    making.model.length > 0 && ('model' as const),
    making.code.length > 0 && ('code' as const),
  ];
  return {
    model_version: after.manifest.model_version,
    replaces: before?.manifest.model_version ?? null,
    released_at: releasedAt,
    rollback,
    note,
    new_months: before ? estimatedMonths(after.manifest).filter((month) => !estimated.has(month)) : [],
    changed: changed.filter((what) => what !== false),
    data: sources.map(({ title, release }) => ({ title, ...release })),
    scores: diff && scoreCounts(diff.all),
    diff: null,
  };
}

const scoreCounts = ({ compared, moved, flipped, disjoint }: SnapshotDiff['all']) => ({
  compared,
  moved,
  flipped,
  disjoint,
});

/** The part of a diff that key holders may read: no tables that are not served, and no thresholds for operators. */
function servedDiff(diff: SnapshotDiff): schemas.VersionsDiff {
  const { a: from, b: to, thresholds, all, state_scores, states, lgas, periods, levels_flipped, largest } = diff;
  return {
    from,
    to,
    score_change: thresholds.score_change,
    all,
    state_scores,
    states,
    lgas,
    periods,
    levels_flipped,
    largest: largest.map(({ a: from, b: to, ...change }) => ({
      ...change,
      from,
      to,
    })) as schemas.VersionsDiff['largest'],
    only_in_from: diff.only_in_a,
    only_in_to: diff.only_in_b,
  };
}
