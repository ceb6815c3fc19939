import path from 'node:path';
import { parseS3Url } from '../contract/published.ts';
import { UsageError } from '../lib/errors.ts';
import { currentSnapshot, pointCurrent, refuseCurrentDirectory } from './current.ts';
import type { Destination } from './destination.ts';
import { withDirectory } from './directory-destination.ts';
import { releaseFilesIn } from './release-files.ts';
import { OWN_DIRECTORY } from './release-records.ts';

/** Runs `work` with the destination `to`: a directory, s3://BUCKET/PREFIX, or `current` of `out` itself. */
export async function withDestination<T>(
  out: string,
  to: string | undefined,
  work: (destination: Destination) => Promise<T>,
): Promise<T> {
  if (to === undefined) return work(ownDirectory(out));
  if (to.startsWith('s3:')) {
    const address = parseS3Url(to);
    if (!address) throw new UsageError(`--to: found ${to}, expected s3://BUCKET or s3://BUCKET/PREFIX`);
    // Loaded here, so that publishing to a directory does not load the client for object storage.
    const { withBucket } = await import('./s3-destination.ts');
    return withBucket(out, to.replace(/\/+$/, ''), address, work);
  }
  if (path.resolve(to) === path.resolve(out))
    throw new UsageError(`--to: found ${to}, which already has the versions, expected another directory`);
  return withDirectory(out, path.resolve(to), work);
}

/** The build's own directory, which already has the files. */
const ownDirectory = (out: string): Destination => ({
  name: OWN_DIRECTORY,
  histories: [{ out, to: OWN_DIRECTORY }],
  async currentSnapshot() {
    refuseCurrentDirectory(out);
    return currentSnapshot(out);
  },
  async copyVersion() {},
  releaseFiles: releaseFilesIn(out),
  makeCurrent: (version) => pointCurrent(out, version),
});
