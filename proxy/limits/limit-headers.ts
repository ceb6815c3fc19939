import type { HeaderLines } from '../head.ts';
import { MINUTE_MS, type Verdict } from './limiter.ts';

/**
 * `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-10 (q quota, w window in seconds, r
 * remaining, t seconds until there is more), and `Retry-After` where the request is refused. Of numbers alone, so nothing
 * is checked.
 */
export function limitLines(verdict: Verdict): HeaderLines {
  const { refusedBy, minute, month } = verdict;
  let state = `"minute";r=${decimal(minute.remaining)};t=${minute.resetSeconds}`;
  if (month) state += `, "month";r=${decimal(month.remaining)};t=${month.resetSeconds}`;
  const lines = `ratelimit-policy: ${policyOf(verdict)}\r\nratelimit: ${state}\r\n`;
  if (refusedBy === null) return lines;
  return `${lines}retry-after: ${(refusedBy === 'month' ? month! : minute).resetSeconds}\r\n`;
}

const THREE_DIGITS = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));

/**
 * `n`, a count, in digits. Three at a time, since V8 keeps what it writes a number as in a table: one that is new with
 * every request would grow old there, and of such growth each second of full load the whole heap is swept.
 */
export function decimal(n: number): string {
  return n < 1000 ? String(n) : decimal(Math.floor(n / 1000)) + THREE_DIGITS[n % 1000];
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
