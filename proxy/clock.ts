/**
 * The two clocks, apart because they fail differently: the wall clock says what time it is (expiry, calendar month)
 * but may be set back; the steady clock only ever runs forward, so it alone measures the minute.
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  wallMs(): number;
  /** Milliseconds since some fixed moment of this process. */
  steadyMs(): number;
}

/** What both clocks say at one moment. */
export interface Moment {
  wallMs: number;
  steadyMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { wallMs: clock.wallMs(), steadyMs: clock.steadyMs() };
}

export const systemClock: Clock = { wallMs: () => Date.now(), steadyMs: () => performance.now() };

/** What may be had at once (embedded store) or only later (a store across the network). */
export type Awaitable<T> = T | Promise<T>;

/** `next` of `value`: at once where it is there at once. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
