import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Source } from '../catalog/sources.ts';
import { runIfUnused } from '../engine/lock.ts';
import { removeStoredFiles } from '../intake/accepted-files.ts';
import { temporaryName } from '../lib/atomic-write.ts';
import { TryAgain } from '../lib/errors.ts';
import { openSnapshot } from '../publish/snapshot/open-snapshot.ts';
import { releasesFolder, snapshotsFolder } from './build-paths.ts';
import { newestCandidate } from './candidates.ts';
import { currentVersion } from './current.ts';
import { listReleases, type StoredVersion } from './list.ts';
import { publishAlone } from './publish-lock.ts';
import { releaseFilesIn } from './release-files.ts';
import { refreshReleaseIndex } from './release-index.ts';

/** How long proxies may still read from a replaced version. */
const REPLACED_MS = 10 * 60_000;

export interface Pruned {
  removed: StoredVersion[];
  kept: StoredVersion[];
  /** Removed raw files of `<out>/raw`, from which no remaining version was made. */
  raw: { files: number; bytes: number };
}

/**
 * Removes all versions except the current one here and at each other destination, the last `keep` published versions,
 * to which one can roll back, the newest candidate, and versions that no build here recorded. Of a published version
 * `releases/<version>/manifest.json` stays, which shows the origin of every figure. Raw files that no remaining version
 * lists are removed too, except those accepted after the newest candidate.
 * @throws TryAgain if a build or a publication is running
 */
export function pruneReleases(out: string, keep: number, now = Date.now()): Promise<Pruned> {
  return publishAlone(out, async () => {
    const pruned: Pruned = { removed: [], kept: [], raw: { files: 0, bytes: 0 } };
    const wasAlone = runIfUnused(out, () => {
      const { releases, versions } = listReleases(out);
      const effective = releases.filter(({ status }) => status !== 'abandoned');
      const publishedVersions = [...new Set(effective.map(({ model_version }) => model_version))];
      const byDestination = Map.groupBy(effective, ({ to }) => to);
      const neededVersions = new Set([
        ...publishedVersions.slice(0, keep),
        ...[...byDestination.values()].map(([latest]) => latest!.model_version),
        ...effective.filter(({ at }) => now - Date.parse(at) < REPLACED_MS).map(({ replaces }) => replaces),
        newestCandidate(out)?.version,
      ]);
      for (const version of versions) {
        const isUnrecorded = version.built_at === null && !version.published;
        if (version.current || isUnrecorded || neededVersions.has(version.model_version)) pruned.kept.push(version);
        else {
          removeVersion(out, version);
          pruned.removed.push(version);
        }
      }
      const newest = newestCandidate(out);
      if (newest) pruned.raw = removeStoredFiles(out, rawFilesInUse(out, pruned.kept), Date.parse(newest.built_at));
    });
    const current = currentVersion(out);
    if (wasAlone && current) await refreshReleaseIndex(releaseFilesIn(out), current, new Date(now).toISOString());
    if (!wasAlone) throw new TryAgain(`${out}: a build is running there; prune when it is done`);
    return pruned;
  });
}

/** SHA-256 of every raw file from which these versions were made. */
function rawFilesInUse(out: string, versions: readonly StoredVersion[]): Set<string> {
  const snapshots = versions.map(({ model_version }) => openSnapshot(path.join(snapshotsFolder(out), model_version)));
  const sources = snapshots.flatMap(({ manifest }) => manifest.sources as Source[]);
  return new Set(sources.flatMap(({ files }) => files.flatMap(({ sha256 }) => sha256 ?? [])));
}

/** Removes a version in one rename, so that a killed run leaves no incomplete version. */
function removeVersion(out: string, { model_version, published }: StoredVersion): void {
  const directory = path.join(snapshotsFolder(out), model_version);
  if (published) {
    const history = path.join(releasesFolder(out), model_version);
    mkdirSync(history, { recursive: true });
    copyFileSync(path.join(directory, 'manifest.json'), path.join(history, 'manifest.json'));
  }
  const temporary = temporaryName(path.join(snapshotsFolder(out), `.${model_version}`));
  renameSync(directory, temporary);
  rmSync(temporary, { recursive: true });
}
