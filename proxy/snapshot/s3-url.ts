import { parseS3Url } from '../../pipeline/contract/published.ts';
import { UsageError } from '../../pipeline/lib/errors.ts';

/** Bucket and prefix of `s3://BUCKET[/PREFIX]`; null if `url` is of another kind. */
export function parseS3(url: string): { bucket: string; prefix: string } | null {
  const location = parseS3Url(url);
  if (location) return location;
  if (url.startsWith('s3:')) throw new UsageError('snapshot: expected s3://BUCKET or s3://BUCKET/PREFIX');
  return null;
}
