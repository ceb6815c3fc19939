/** The maximum number of attempts at `what` in a window of time. */
export interface Allowance {
  what: string;
  most: number;
  windowMs: number;
}

export interface Attempts {
  /** Charges an attempt to all of `allowances`, or to none. @returns null if charged, else the milliseconds to wait */
  take(allowances: readonly Allowance[], now: number): Promise<number | null>;
  /** Gives back what `take` charged, for an attempt that succeeded. */
  giveBack(allowances: readonly Allowance[]): Promise<void>;
}

/** The maximum number of windows kept; beyond it the oldest are dropped. Each window takes at least one attempt. */
const MOST_COUNTED = 100_000;

/**
 * Counts attempts in memory, in windows that start with the first attempt, for a single proxy with SQLite. A restart
 * loses the counts, but nobody outside can cause one.
 */
export function countAttempts(): Attempts {
  const windows = new Map<string, { count: number; until: number }>();
  return {
    async take(allowances, now) {
      const found = allowances.map((allowance) => {
        const known = windows.get(allowance.what);
        return { allowance, window: known && known.until > now ? known : null };
      });
      const waits = found.map(({ allowance, window }) =>
        window && window.count >= allowance.most ? window.until - now : 0,
      );
      const wait = Math.max(...waits);
      if (wait > 0) return wait;
      for (const { allowance, window } of found) {
        if (window) window.count++;
        else {
          windows.delete(allowance.what);
          windows.set(allowance.what, { count: 1, until: now + allowance.windowMs });
        }
      }
      while (windows.size > MOST_COUNTED) windows.delete(windows.keys().next().value!);
      return null;
    },
    async giveBack(allowances) {
      for (const { what } of allowances) {
        const window = windows.get(what);
        if (window) window.count--;
      }
    },
  };
}
