import { MINUTE_MS, type Verdict } from './limiter.ts';

/**
 * Adds `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-10 (q quota, w window in seconds, r
 * remaining, t seconds until there is more) to `headers`, and `Retry-After` where the request is refused.
 */
export function addLimitHeaders(headers: string[], verdict: Verdict): void {
  const { refusedBy, minute, month } = verdict;
  let state = `"minute";r=${minute.remaining};t=${minute.resetSeconds}`;
  if (month) state += `, "month";r=${month.remaining};t=${month.resetSeconds}`;
  headers.push('ratelimit-policy', policyOf(verdict), 'ratelimit', state);
  if (refusedBy !== null) headers.push('retry-after', String((refusedBy === 'month' ? month! : minute).resetSeconds));
}

/** The policy written last: most requests go by the one that the request before them went by. */
let [perMinute, perMonth, window, policy] = [-1, -1, -1, ''];

function policyOf({ minute, month }: Verdict): string {
  const [monthLimit, monthWindow] = [month?.limit ?? 0, month?.windowSeconds ?? 0];
  if (minute.limit !== perMinute || monthLimit !== perMonth || monthWindow !== window) {
    [perMinute, perMonth, window] = [minute.limit, monthLimit, monthWindow];
    policy = `"minute";q=${perMinute};w=${MINUTE_MS / 1000}`;
    if (month) policy += `, "month";q=${perMonth};w=${window}`;
  }
  return policy;
}
