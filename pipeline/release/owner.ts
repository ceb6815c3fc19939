/** Whose files a publication writes: those of the folder's owner, such as a service account, even if root runs it. */
import { accessSync, constants, lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../lib/errors.ts';
import { cacheFolder, currentLink, releasesFolder, snapshotsFolder } from './build-paths.ts';

/**
 * Does `work`, which publishes below `out`. What root creates there gets the owner and the mode of `out`.
 * @throws UsageError, before anything changes, if the user who runs this cannot write what somebody else left there
 */
export async function preserveOwner<T>(out: string, work: () => Promise<T>): Promise<T> {
  const { uid, gid, mode } = statSync(out);
  if (process.geteuid?.() !== 0 || uid === 0) {
    refuseForeignFiles(out);
    return work();
  }
  const umask = process.umask(0o777 & ~mode);
  try {
    return await work();
  } finally {
    process.umask(umask);
    for (const file of publishedPaths(out).filter((name) => lstatSync(name).uid === 0))
      for (const entry of [file, ...pathsIn(file, true)]) lchownSync(entry, uid, gid);
  }
}

function refuseForeignFiles(out: string): void {
  const foreignFile = publishedPaths(out).find((file) => {
    const stats = lstatSync(file);
    return stats.uid !== process.geteuid?.() && !stats.isSymbolicLink() && !isWritable(file);
  });
  if (foreignFile === undefined) return;
  const paths = [releasesFolder(out), snapshotsFolder(out), currentLink(out)].join(' ');
  const owner = statSync(out).uid;
  const way =
    owner === process.geteuid?.() ? `run: sudo chown -hR --reference=${out} ${paths}` : `run this as user ${owner}`;
  throw new UsageError(
    `${foreignFile}: found the property of user ${lstatSync(foreignFile).uid}, which this user cannot change, ` +
      `expected that of the owner of ${out}; ${way}`,
  );
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Everything that publications write below `out`; of versions only their folders. */
const publishedPaths = (out: string) =>
  [
    currentLink(out),
    cacheFolder(out),
    path.join(cacheFolder(out), 'lock.sqlite'),
    releasesFolder(out),
    ...pathsIn(releasesFolder(out), true),
    snapshotsFolder(out),
    ...pathsIn(snapshotsFolder(out), false),
  ].filter((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined);

function pathsIn(folder: string, recursive: boolean): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { encoding: 'utf8', recursive }).map((name) => path.join(folder, name));
}
