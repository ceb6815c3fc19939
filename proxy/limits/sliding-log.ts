/**
 * The times at which requests were granted in the last `spanMs`, oldest first, from index `start` on. They come from a
 * steady clock, so they never decrease. A span is half-open: a request leaves the log exactly `spanMs` later.
 */
export interface SlidingLog {
  times: number[];
  start: number;
}

export const createLog = (): SlidingLog => ({ times: [], start: 0 });

export const countOf = ({ times, start }: SlidingLog): number => times.length - start;

/** Drops requests that are at least `spanMs` old at `now`, and frees memory once most of the array has been dropped. */
export function dropOld(log: SlidingLog, now: number, spanMs: number): void {
  while (log.start < log.times.length && now - log.times[log.start]! >= spanMs) log.start++;
  if (log.start > 16 && log.start * 2 > log.times.length) {
    log.times = log.times.slice(log.start);
    log.start = 0;
  }
}

/** Adds `grants` requests, granted at `now`. */
export function addGrants(log: SlidingLog, now: number, grants = 1): void {
  for (let i = 0; i < grants; i++) log.times.push(now);
}

/** Time of the request at `index`, where 0 is the oldest; undefined beyond the end. */
export const grantAt = ({ times, start }: SlidingLog, index: number): number | undefined => times[start + index];
