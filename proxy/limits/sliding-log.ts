/**
 * The requests granted in the last `spanMs`, oldest first: the moments at which any were, and how many at each, in a ring
 * that grows as needed. Times come from a steady clock, so they never fall. A span is half-open: a request leaves the log
 * exactly `spanMs` after it.
 */
export interface SlidingLog {
  times: Float64Array<ArrayBuffer>;
  grants: Float64Array<ArrayBuffer>;
  start: number;
  moments: number;
  /** Requests in all. */
  count: number;
}

const SMALLEST = 16;

export function createLog(): SlidingLog {
  return { times: new Float64Array(SMALLEST), grants: new Float64Array(SMALLEST), start: 0, moments: 0, count: 0 };
}

/** Drops what is `spanMs` old or older at `now`. A large ring that has emptied is given back. */
export function dropOld(log: SlidingLog, now: number, spanMs: number): void {
  const mask = log.times.length - 1;
  while (log.moments > 0 && now - log.times[log.start]! >= spanMs) {
    log.count -= log.grants[log.start]!;
    log.start = (log.start + 1) & mask;
    log.moments--;
  }
  if (log.moments === 0 && log.times.length > 1024) Object.assign(log, createLog());
}

/** Adds `grants` requests granted at `now`. */
export function addGrants(log: SlidingLog, now: number, grants = 1): void {
  const last = (log.start + log.moments - 1) & (log.times.length - 1);
  log.count += grants;
  if (log.moments > 0 && log.times[last] === now) {
    log.grants[last]! += grants;
    return;
  }
  if (log.moments === log.times.length) {
    log.times = unrolled(log.times, log.start);
    log.grants = unrolled(log.grants, log.start);
    log.start = 0;
  }
  const next = (log.start + log.moments) & (log.times.length - 1);
  log.times[next] = now;
  log.grants[next] = grants;
  log.moments++;
}

/** A full ring from its `start` on, with as much room again. */
function unrolled(ring: Float64Array<ArrayBuffer>, start: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(ring.length * 2);
  larger.set(ring.subarray(start));
  larger.set(ring.subarray(0, start), ring.length - start);
  return larger;
}

/** Time of the request at `index`, 0 the oldest; undefined past the end. */
export function grantAt(log: SlidingLog, index: number): number | undefined {
  if (index >= log.count) return undefined;
  const mask = log.times.length - 1;
  let at = log.start;
  for (let before = log.grants[at]!; before <= index; before += log.grants[at]!) at = (at + 1) & mask;
  return log.times[at];
}
