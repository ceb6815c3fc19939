import type { Headers } from '../headers.ts';
import { MINUTE_MS, type Verdict } from './limiter.ts';

/**
 * `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-10 (q quota, w window in seconds, r
 * remaining, t seconds until there is more), and `Retry-After` where the request is refused.
 */
export function limitHeaders({ refusedBy, minute, month }: Verdict): Headers {
  let policy = `"minute";q=${minute.limit};w=${MINUTE_MS / 1000}`;
  let state = `"minute";r=${minute.remaining};t=${minute.resetSeconds}`;
  if (month) {
    policy += `, "month";q=${month.limit};w=${month.windowSeconds}`;
    state += `, "month";r=${month.remaining};t=${month.resetSeconds}`;
  }
  const headers = ['ratelimit-policy', policy, 'ratelimit', state];
  const refusing = refusedBy === 'month' ? month : refusedBy === 'minute' ? minute : null;
  return refusing ? [...headers, 'retry-after', String(refusing.resetSeconds)] : headers;
}
