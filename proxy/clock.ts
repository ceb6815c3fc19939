/**
 * Two clocks, because they fail differently: the wall clock tells the time (expiry, calendar month) but may be set
 * back; the steady clock only runs forward, so it alone measures the minute.
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  wallMs(): number;
  /** Milliseconds since some fixed moment in this process. */
  steadyMs(): number;
}

/** Both clocks, read at one moment. */
export interface Moment {
  wallMs: number;
  steadyMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { wallMs: clock.wallMs(), steadyMs: clock.steadyMs() };
}

export const systemClock: Clock = { wallMs: () => Date.now(), steadyMs: () => performance.now() };

/** Available at once (embedded store), or only later (a store across the network). */
export type Awaitable<T> = T | Promise<T>;

/** Applies `next` to `value`, synchronously if it is already there. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
