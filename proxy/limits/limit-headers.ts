import { MINUTE_MS, type Verdict } from './limiter.ts';

/**
 * Adds `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-10 (q quota, w window in seconds, r
 * remaining, t seconds until there is more) to `headers`, and `Retry-After` where the request is refused.
 */
export function addLimitHeaders(headers: string[], { refusedBy, minute, month }: Verdict): void {
  let policy = `"minute";q=${minute.limit};w=${MINUTE_MS / 1000}`;
  let state = `"minute";r=${minute.remaining};t=${minute.resetSeconds}`;
  if (month) {
    policy += `, "month";q=${month.limit};w=${month.windowSeconds}`;
    state += `, "month";r=${month.remaining};t=${month.resetSeconds}`;
  }
  headers.push('ratelimit-policy', policy, 'ratelimit', state);
  if (refusedBy !== null) headers.push('retry-after', String((refusedBy === 'month' ? month! : minute).resetSeconds));
}
