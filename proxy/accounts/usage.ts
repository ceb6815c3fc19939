/** Requests by day, key and operation, counted in memory and periodically added to the store. */

import { DAY_MS } from '../clock.ts';
import type { Database } from './database.ts';
import type { KeyKind } from './key-format.ts';

/** Requests on one UTC day (`YYYY-MM-DD`) by key and operation: an id from the contract, or 'none'. */
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

/** How many days of counts are kept. */
export const DAYS_KEPT = 400;

export type UsageStore = ReturnType<typeof openUsage>;

export function openUsage({ db, transactLightly }: Database) {
  let cleared = '';
  return {
    /** Adds `rows` to the counts already there. */
    async add(rows: readonly UsageRow[]): Promise<void> {
      const latest = rows.at(-1)!.day;
      const oldest = dayOf(Date.parse(latest) - DAYS_KEPT * DAY_MS);
      const order = ({ day, key_id, operation }: UsageRow) => `${day} ${key_id} ${operation}`;
      await transactLightly(async (tx) => {
        await tx
          .insertInto('usage')
          // Always in the same order, so that two proxies cannot deadlock.
          .values(rows.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)))
          .onConflict((conflict) =>
            conflict.columns(['day', 'key_id', 'operation']).doUpdateSet(({ eb, ref }) => ({
              granted: eb('usage.granted', '+', ref('excluded.granted')),
              refused: eb('usage.refused', '+', ref('excluded.refused')),
            })),
          )
          .execute();
        if (latest !== cleared) await tx.deleteFrom('usage').where('day', '<', oldest).execute();
      });
      cleared = latest;
    },
    /** Counts for all of the owner's keys, including revoked ones, from `day` on, in order of day. */
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

export type UsageCounter = ReturnType<typeof countUsage>;

export const dayOf = (wallMs: number) => new Date(wallMs).toISOString().slice(0, 10);

/** Rows written at a time: requests are answered in between. */
const AT_ONCE = 500;

/** Counts in memory; call `flush` periodically. */
export function countUsage(store: Pick<UsageStore, 'add'>) {
  let rows = new Map<string, UsageRow>();
  let day = { start: Number.NaN, name: '' };

  const tally = (day: string, key_id: string, operation: string, granted: number, refused: number) => {
    const id = `${day} ${key_id} ${operation}`;
    const known = rows.get(id);
    if (!known) rows.set(id, { day, key_id, operation, granted, refused });
    else {
      known.granted += granted;
      known.refused += refused;
    }
  };
  return {
    /** Counts one request answered at wall-clock time `now` (ms). */
    count(keyId: string, operation: string, isRefused: boolean, now: number): void {
      if (!(now >= day.start && now < day.start + DAY_MS)) day = { start: now - (now % DAY_MS), name: dayOf(now) };
      tally(day.name, keyId, operation, isRefused ? 0 : 1, isRefused ? 1 : 0);
    },
    /** Adds the counts to the store; what it cannot take now is kept for the next time. */
    async flush(): Promise<void> {
      const batch = [...rows.values()];
      rows = new Map();
      try {
        while (batch.length > 0) {
          await store.add(batch.slice(0, AT_ONCE));
          batch.splice(0, AT_ONCE);
          await new Promise(setImmediate);
        }
      } catch (error) {
        for (const { day, key_id, operation, granted, refused } of batch)
          tally(day, key_id, operation, granted, refused);
        throw error;
      }
    },
  };
}
