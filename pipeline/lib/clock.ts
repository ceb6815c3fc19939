import { existsSync, readFileSync } from 'node:fs';

/**
 * Two clocks, because they fail differently: the wall clock has the time of day (expiry, calendar month) but may be set
 * back; the steady clock only runs forward, so the minute is measured by it alone.
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  wallMs(): number;
  /** Milliseconds since a fixed moment: the boot that `boot` names or, without it, a moment in this process. */
  steadyMs(): number;
  /** Identifies the boot of the machine from which `steadyMs` counts in every process. */
  boot?: string | undefined;
}

/** Available on Linux, where Node's high-resolution time counts from the boot, too. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  steadyMs() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  boot: existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'utf8').trim() : undefined,
};

/** A value that is available at once, or only later. */
export type Awaitable<T> = T | Promise<T>;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
