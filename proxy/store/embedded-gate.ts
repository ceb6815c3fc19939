import type { Clock } from '../../pipeline/lib/clock.ts';
import { lineOf } from '../../pipeline/lib/errors.ts';
import { type Admission, type DefaultLimits, type Gate, UNAVAILABLE } from './gate.ts';
import { openKeyReader } from './key-reader.ts';
import { limitsFileOf, openSqliteLimiter } from './sqlite-limiter.ts';

export interface EmbeddedGateOptions extends DefaultLimits {
  clock: Clock;
  report: (line: string) => void;
}

/** The gate of one process, whose store is the SQLite `file`. @throws UsageError if a file cannot be opened. */
export function openEmbeddedGate(file: string, { clock, report, ...service }: EmbeddedGateOptions): Gate {
  const limiter = openSqliteLimiter(limitsFileOf(file), clock);
  const keys = openKeyReader(file);
  const admit = (key: string, now: number): Admission | null => {
    const holder = keys.identify(key, now);
    if (!holder) return null;
    const { keyId, ownerId, kind } = holder;
    const perMinute = holder.perMinute ?? service.perMinute;
    const perMonth = kind === 'live' ? (holder.perMonth ?? service.perMonth) : null;
    return { holder, verdict: limiter.take({ keyId, ownerId, perMinute, perMonth }) };
  };
  return {
    admit(key, now) {
      try {
        return admit(key, now);
      } catch (error) {
        report(`keys and limits: ${lineOf(error)}`);
        return UNAVAILABLE;
      }
    },
    monthUsed: limiter.monthUsed,
    unavailable() {
      try {
        keys.identify('', 0);
        limiter.checkWritable();
        return null;
      } catch (error) {
        return `keys and limits: ${lineOf(error)}`;
      }
    },
    close() {
      keys.close();
      limiter.close();
    },
  };
}
