import type { HeaderLines } from '../head.ts';
import { MINUTE_MS, type Verdict } from './limiter.ts';

/**
 * `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-10 (q quota, w window in seconds, r
 * remaining, t seconds until there is more), and `Retry-After` where the request is refused. Of numbers alone, so nothing
 * is checked.
 */
export function limitLines(verdict: Verdict): HeaderLines {
  const { refusedBy, minute, month } = verdict;
  let state = `"minute";r=${minute.remaining};t=${minute.resetSeconds}`;
  if (month) state += `, "month";r=${month.remaining};t=${month.resetSeconds}`;
  const lines = `ratelimit-policy: ${policyOf(verdict)}\r\nratelimit: ${state}\r\n`;
  if (refusedBy === null) return lines;
  return `${lines}retry-after: ${(refusedBy === 'month' ? month! : minute).resetSeconds}\r\n`;
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
