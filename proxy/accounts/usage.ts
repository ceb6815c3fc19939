/** Requests by day, key and operation: counted in memory, and added to the store now and then. */
import type { Database } from './database.ts';
import type { KeyKind } from './key-format.ts';

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

export type UsageStore = ReturnType<typeof openUsage>;

export function openUsage({ db, transactLightly }: Database) {
  let cleared = '';
  return {
    /** Adds to what is there. */
    async add(rows: readonly UsageRow[]): Promise<void> {
      const latest = rows.at(-1)!.day;
      const order = ({ day, key_id, operation }: UsageRow) => `${day} ${key_id} ${operation}`;
      await transactLightly(async (tx) => {
        await tx
          .insertInto('usage')
          // In one order, so that two proxies never wait for each other's rows.
          .values(rows.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)))
          .onConflict((conflict) =>
            conflict.columns(['day', 'key_id', 'operation']).doUpdateSet(({ eb, ref }) => ({
              granted: eb('usage.granted', '+', ref('excluded.granted')),
              refused: eb('usage.refused', '+', ref('excluded.refused')),
            })),
          )
          .execute();
        if (latest === cleared) return;
        await tx
          .deleteFrom('usage')
          .where('day', '<', dayOf(Date.parse(latest) - DAYS_KEPT * DAY_MS))
          .execute();
      });
      cleared = latest;
    },
    /** Of the owner's keys, revoked ones too, from `day` on, in order of day. */
    listUsage: (ownerId: string, day: string): Promise<OwnerUsage[]> =>
      db
        .selectFrom('usage')
        .innerJoin('keys', 'id', 'key_id')
        .selectAll('usage')
        .select(['name as key_name', 'kind'])
        .where('owner_id', '=', ownerId)
        .where('day', '>=', day)
        .orderBy('day')
        .orderBy('operation', (order) => order.collate('C'))
        .execute(),
  };
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
export function countUsage(store: Pick<UsageStore, 'add'>): UsageCounter {
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
