import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { asideOf } from '../../engine/cache.ts';
import { whenAlone } from '../../engine/lock.ts';
import { TryAgain } from '../../errors.ts';
import { newestCandidate } from './candidates.ts';
import { listReleases, type Version } from './list.ts';
import { publishAlone } from './lock.ts';
import { releasesOf, snapshotsOf } from './places.ts';

/** What was replaced is still read from by proxies for a while. */
const REPLACED_MS = 10 * 60_000;

export interface Pruned {
  removed: Version[];
  kept: Version[];
}

/**
 * Removes versions but for what is current, here or wherever else it was published last; the `keep` versions that were
 * published last, so that each can be gone back to; the newest candidate; and what no build here noted. Of a version
 * that had been published, `releases/<version>/manifest.json` stays: it says what every figure was made of.
 * @throws TryAgain where a build or a publication is running
 */
export function pruneReleases(out: string, keep: number, now = Date.now()): Promise<Pruned> {
  return publishAlone(out, async () => {
    const pruned: Pruned = { removed: [], kept: [] };
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
    });
    if (!alone) throw new TryAgain(`${out}: a build is running there; prune when it is done`);
    return pruned;
  });
}

/** Takes a version away in one rename, so that no kill leaves half of one. */
function remove(out: string, { model_version, published }: Version): void {
  const directory = path.join(snapshotsOf(out), model_version);
  if (published) {
    const history = path.join(releasesOf(out), model_version);
    mkdirSync(history, { recursive: true });
    copyFileSync(path.join(directory, 'manifest.json'), path.join(history, 'manifest.json'));
  }
  const aside = asideOf(path.join(snapshotsOf(out), `.${model_version}`));
  renameSync(directory, aside);
  rmSync(aside, { recursive: true });
}
