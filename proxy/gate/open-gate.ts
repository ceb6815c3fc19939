import type { Clock } from '../clock.ts';
import { isRedisUrl } from '../keys/open-store.ts';
import { isPostgresStore } from '../keys/postgres-store.ts';
import type { AccountStore } from '../keys/store.ts';
import { checkLimits, openLimiter } from '../limits/open-limiter.ts';
import { composeGate, type DefaultLimits, type Gate } from './gate.ts';
import type { GateTimes } from './times.ts';

export interface GateOptions extends DefaultLimits {
  limits: string;
  /** Where `opened`, the store, is. */
  store: string;
  opened: AccountStore;
  clock: Clock;
  report: (line: string) => void;
  times?: Partial<GateTimes> | undefined;
}

/** The gate to what `opened` holds, by the limits that `limits` names. @throws UsageError where that is not to be had. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { limits, store, opened, clock, perMinute, perMonth, report, times = {} } = options;
  checkLimits(limits, store);
  if (!isRedisUrl(limits) || !isPostgresStore(opened)) {
    return composeGate(opened, openLimiter(limits, store, clock), { perMinute, perMonth }, clock);
  }
  // Loaded here, so that one machine does without it.
  const { openSharedGate } = await import('./shared-gate.ts');
  return openSharedGate({ store: opened, url: limits, perMinute, perMonth, report, times });
}
