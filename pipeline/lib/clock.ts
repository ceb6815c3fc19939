/** The time of day, which tests set. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  wallMs(): number;
}

export const systemClock: Clock = { wallMs: () => Date.now() };

/** A value that is available at once, or only later. */
export type Awaitable<T> = T | Promise<T>;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
