import { existsSync, readFileSync } from 'node:fs';

/**
 * Two clocks, because they fail differently: the wall clock tells the time (expiry, calendar month) but may be set
 * back; the steady clock only runs forward, so it alone measures the minute.
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  wallMs(): number;
  /** Milliseconds since some fixed moment: that of `boot`, or if there is none, one in this process. */
  steadyMs(): number;
  /** Names the start of the machine that `steadyMs` counts from, in every process. */
  boot?: string | undefined;
}

/** Where the system tells it (Linux), Node's high-resolution time counts from there too. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  steadyMs() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  boot: existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'utf8').trim() : undefined,
};

/** Available at once, or only later. */
export type Awaitable<T> = T | Promise<T>;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
