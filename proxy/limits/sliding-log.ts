/**
 * The times of the requests granted in the last `spanMs`, oldest first, from `start` on. They come from a steady clock,
 * so they never fall. A span is half-open: a request leaves the log exactly `spanMs` after it.
 */
export interface SlidingLog {
  times: number[];
  start: number;
}

export const createLog = (): SlidingLog => ({ times: [], start: 0 });

export const countOf = ({ times, start }: SlidingLog): number => times.length - start;

/** Drops what is `spanMs` old or older at `now`, and gives its memory back once that is most of it. */
export function dropOld(log: SlidingLog, now: number, spanMs: number): void {
  while (log.start < log.times.length && now - log.times[log.start]! >= spanMs) log.start++;
  if (log.start > 16 && log.start * 2 > log.times.length) {
    log.times = log.times.slice(log.start);
    log.start = 0;
  }
}

/** Adds `grants` requests granted at `now`. */
export function addGrants(log: SlidingLog, now: number, grants = 1): void {
  for (let i = 0; i < grants; i++) log.times.push(now);
}

/** Time of the request at `index`, 0 the oldest; undefined past the end. */
export const grantAt = ({ times, start }: SlidingLog, index: number): number | undefined => times[start + index];
