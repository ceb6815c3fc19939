import type { Awaitable } from '../clock.ts';
import type { KeyKind } from '../keys/key-format.ts';

/** Requests of one UTC day (`YYYY-MM-DD`), key and operation: an id of the contract's, or 'none'. */
export interface UsageRow {
  day: string;
  key_id: string;
  operation: string;
  granted: number;
  /** By a limit (429). */
  refused: number;
}

export interface OwnerUsage extends UsageRow {
  key_name: string;
  kind: KeyKind;
}

/** Days of which requests are kept. */
export const DAYS_KEPT = 400;

export interface UsageStore {
  /** Adds to what is there. */
  add(rows: readonly UsageRow[]): Awaitable<void>;
  /** Of the owner's keys, revoked ones too, from `day` on, in order of day. */
  listUsage(ownerId: string, day: string): Awaitable<OwnerUsage[]>;
  close(): Awaitable<void>;
}

export interface UsageCounter {
  /** Counts one request answered at wall-clock time `now` (ms). */
  count(keyId: string, operation: string, isRefused: boolean, now: number): void;
  /** Hands over to the store what was counted; what it cannot take now is kept for the next time. */
  flush(): Promise<void>;
}

export const dayOf = (wallMs: number) => new Date(wallMs).toISOString().slice(0, 10);

/** Rows written at a time: requests are answered between two of them. */
const AT_ONCE = 500;

const DAY_MS = 86_400_000;

/** Counts in memory, so that a request costs two look-ups; `flush`, to be called now and then, writes in batches. */
export function countUsage(store: UsageStore): UsageCounter {
  let tallies = new Map<string, Map<string, UsageRow>>();
  let [day, dayEnd] = ['', 0];
  let past: UsageRow[] = [];

  const closeBatch = () => {
    for (const byOperation of tallies.values()) past.push(...byOperation.values());
    tallies = new Map();
  };
  return {
    count(keyId, operation, isRefused, now) {
      if (now >= dayEnd || now < dayEnd - DAY_MS) {
        closeBatch();
        day = dayOf(now);
        dayEnd = Date.parse(day) + DAY_MS;
      }
      let byOperation = tallies.get(keyId);
      if (!byOperation) {
        byOperation = new Map();
        tallies.set(keyId, byOperation);
      }
      let row = byOperation.get(operation);
      if (!row) {
        row = { day, key_id: keyId, operation, granted: 0, refused: 0 };
        byOperation.set(operation, row);
      }
      if (isRefused) row.refused++;
      else row.granted++;
    },
    async flush() {
      closeBatch();
      const batch = past;
      past = [];
      let done = 0;
      try {
        while (done < batch.length) {
          await store.add(batch.slice(done, done + AT_ONCE));
          done += AT_ONCE;
          if (done < batch.length) await new Promise(setImmediate);
        }
      } catch (error) {
        past = [...batch.slice(done), ...past];
        throw error;
      }
    },
  };
}
