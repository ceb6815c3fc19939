import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Source } from '../../catalog/sources.ts';
import { forgetFiles } from '../../catalog/store.ts';
import type { Manifest } from '../../contract/manifest.ts';
import { temporaryName } from '../../engine/atomic-write.ts';
import { whenAlone } from '../../engine/lock.ts';
import { TryAgain } from '../../errors.ts';
import { releasesOf, snapshotsOf } from './build-paths.ts';
import { newestCandidate } from './candidates.ts';
import { currentVersion } from './current.ts';
import { listReleases, type Version } from './list.ts';
import { publishAlone } from './lock.ts';
import { releaseFilesIn } from './release-files.ts';
import { refreshReleaseIndex } from './release-index.ts';

/** What was replaced is still read from by proxies for a while. */
const REPLACED_MS = 10 * 60_000;

export interface Pruned {
  removed: Version[];
  kept: Version[];
  /** Raw files of `<out>/raw` that no version which stays was made of. */
  raw: { files: number; bytes: number };
}

/**
 * Removes versions but for what is current, here or wherever else it was published last; the `keep` versions that were
 * published last, so that each can be gone back to; the newest candidate; and what no build here noted. Of a version
 * that had been published, `releases/<version>/manifest.json` stays: it says what every figure was made of. Of the raw
 * files that builds keep, those go that no version here names, but for what was accepted after the newest candidate.
 * @throws TryAgain where a build or a publication is running
 */
export function pruneReleases(out: string, keep: number, now = Date.now()): Promise<Pruned> {
  return publishAlone(out, async () => {
    const pruned: Pruned = { removed: [], kept: [], raw: { files: 0, bytes: 0 } };
    const alone = whenAlone(out, () => {
      const { releases, versions } = listReleases(out);
      const stand = releases.filter(({ status }) => status !== 'abandoned');
      const inOrder = [...new Set(stand.map(({ model_version }) => model_version))];
      const elsewhere = Map.groupBy(stand, ({ to }) => to);
      const needed = new Set([
        ...inOrder.slice(0, keep),
        ...[...elsewhere.values()].map(([last]) => last!.model_version),
        ...stand.filter(({ at }) => now - Date.parse(at) < REPLACED_MS).map(({ replaces }) => replaces),
        newestCandidate(out)?.version,
      ]);
      for (const version of versions) {
        const unknown = version.built_at === null && !version.published;
        if (version.current || unknown || needed.has(version.model_version)) pruned.kept.push(version);
        else {
          remove(out, version);
          pruned.removed.push(version);
        }
      }
      const newest = newestCandidate(out);
      if (newest) pruned.raw = forgetFiles(out, rawFilesOf(out, pruned.kept), Date.parse(newest.built_at));
    });
    const current = currentVersion(out);
    if (alone && current) await refreshReleaseIndex(releaseFilesIn(out), current, new Date(now).toISOString());
    if (!alone) throw new TryAgain(`${out}: a build is running there; prune when it is done`);
    return pruned;
  });
}

/** SHA-256 of every raw file that these versions were made of. */
function rawFilesOf(out: string, versions: readonly Version[]): Set<string> {
  const manifests = versions.map(
    ({ model_version }): Manifest =>
      JSON.parse(readFileSync(path.join(snapshotsOf(out), model_version, 'manifest.json'), 'utf8')),
  );
  const sources = manifests.flatMap((manifest) => manifest.sources as Source[]);
  return new Set(sources.flatMap(({ files }) => files.flatMap(({ sha256 }) => sha256 ?? [])));
}

/** Takes a version away in one rename, so that no kill leaves half of one. */
function remove(out: string, { model_version, published }: Version): void {
  const directory = path.join(snapshotsOf(out), model_version);
  if (published) {
    const history = path.join(releasesOf(out), model_version);
    mkdirSync(history, { recursive: true });
    copyFileSync(path.join(directory, 'manifest.json'), path.join(history, 'manifest.json'));
  }
  const aside = temporaryName(path.join(snapshotsOf(out), `.${model_version}`));
  renameSync(directory, aside);
  rmSync(aside, { recursive: true });
}
