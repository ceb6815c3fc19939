import { UsageError } from '../errors.ts';

/** Where one proxy keeps its copies of snapshots from object storage. */
export const DEFAULT_COPIES = 'build/copies';

/** Bucket and prefix of `s3://BUCKET[/PREFIX]`; null if `url` is of another kind. */
export function parseS3(url: string): { bucket: string; prefix: string } | null {
  const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/.exec(url);
  if (found) return { bucket: found[1]!, prefix: found[2] ? `${found[2]}/` : '' };
  if (url.startsWith('s3:')) throw new UsageError('snapshot: expected s3://BUCKET or s3://BUCKET/PREFIX');
  return null;
}
