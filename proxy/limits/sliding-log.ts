/**
 * The times of the requests granted in the last `spanMs`, oldest first, in a ring that grows as needed. Times come
 * from a steady clock, so they never fall. A span is half-open: a request leaves the log exactly `spanMs` after it.
 */
export interface SlidingLog {
  times: Float64Array;
  start: number;
  count: number;
}

const SMALLEST = 16;

export function createLog(): SlidingLog {
  return { times: new Float64Array(SMALLEST), start: 0, count: 0 };
}

/** Drops what is `spanMs` old or older at `now`. A large ring that has emptied is given back. */
export function dropOld(log: SlidingLog, now: number, spanMs: number): void {
  const mask = log.times.length - 1;
  while (log.count > 0 && now - log.times[log.start]! >= spanMs) {
    log.start = (log.start + 1) & mask;
    log.count--;
  }
  if (log.count === 0 && log.times.length > 1024) Object.assign(log, createLog());
}

/** Adds a request granted at `now`. */
export function addGrant(log: SlidingLog, now: number): void {
  if (log.count === log.times.length) {
    const grown = new Float64Array(log.times.length * 2);
    grown.set(log.times.subarray(log.start));
    grown.set(log.times.subarray(0, log.start), log.times.length - log.start);
    log.times = grown;
    log.start = 0;
  }
  log.times[(log.start + log.count) & (log.times.length - 1)] = now;
  log.count++;
}

/** Time of the grant at `index`, 0 the oldest; undefined past the end. */
export function grantAt(log: SlidingLog, index: number): number | undefined {
  return index < log.count ? log.times[(log.start + index) & (log.times.length - 1)] : undefined;
}
