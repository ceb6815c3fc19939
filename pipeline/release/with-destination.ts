import path from 'node:path';
import { parseS3Url } from '../contract/published.ts';
import { UsageError } from '../lib/errors.ts';
import type { Destination } from './destination.ts';
import { ownDirectory, withDirectory } from './directory-destination.ts';

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
