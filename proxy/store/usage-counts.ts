/** Requests by day, key and operation, and when keys were last used: counted in memory and written periodically. */

import { DAY_MS } from '../../pipeline/lib/clock.ts';
import { calendarMonth } from '../limits/calendar-month.ts';
import type { Database } from './database.ts';
import type { KeyKind } from './key-format.ts';
import type { ErrorRow, UsageRow } from './row-types.ts';

/** Counts to be added, and the wall-clock time (ms) of the last of these requests. */
export interface CountedRow extends UsageRow {
  at: number;
}

export interface OwnerUsage extends UsageRow {
  key_name: string;
  kind: KeyKind;
}

/** How many days of counts are kept. */
export const DAYS_KEPT = 400;

export type UsageStore = ReturnType<typeof openUsage>;

export function openUsage({ db, transact, transactLightly }: Database) {
  let cleared = '';
  return {
    /** Adds `rows` to the stored counts, and records when their keys were last used. */
    async add(rows: readonly CountedRow[]): Promise<void> {
      const latest = rows.at(-1)!.day;
      const oldest = dayOf(Date.parse(latest) - DAYS_KEPT * DAY_MS);
      // Always in the same order, so that two proxies cannot deadlock.
      const order = ({ key_id, day, operation }: UsageRow) => `${key_id} ${day} ${operation}`;
      const sorted = rows.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
      const uses = new Map<string, number>();
      for (const { key_id, at } of sorted) uses.set(key_id, Math.max(at, uses.get(key_id) ?? 0));
      // On disk when it returns, and with it all grants before: a power cut of SQLite's machine forgets a minute at most.
      await transact(async (tx) => {
        await tx
          .insertInto('usage')
          .values(sorted.map(({ at: _, ...row }) => row))
          .onConflict((conflict) =>
            conflict.columns(['day', 'key_id', 'operation']).doUpdateSet(({ eb, ref }) => ({
              granted: eb('usage.granted', '+', ref('excluded.granted')),
              refused: eb('usage.refused', '+', ref('excluded.refused')),
            })),
          )
          .execute();
        await tx
          .insertInto('key_uses')
          .values([...uses].map(([key_id, at]) => ({ key_id, last_used_at: Math.floor(at) })))
          .onConflict((known) =>
            known
              .column('key_id')
              .doUpdateSet(({ ref }) => ({ last_used_at: ref('excluded.last_used_at') }))
              .whereRef('key_uses.last_used_at', '<', 'excluded.last_used_at'),
          )
          .execute();
        if (latest === cleared) return;
        await tx.deleteFrom('usage').where('day', '<', oldest).execute();
        await tx.deleteFrom('usage_errors').where('day', '<', oldest).execute();
      });
      cleared = latest;
    },
    addErrors: (rows: readonly ErrorRow[]): Promise<void> =>
      transactLightly(async (tx) => {
        await tx
          .insertInto('usage_errors')
          .values(rows.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1)))
          .onConflict((conflict) =>
            conflict
              .columns(['key_id', 'day', 'operation', 'code'])
              .doUpdateSet(({ eb, ref }) => ({ count: eb('usage_errors.count', '+', ref('excluded.count')) })),
          )
          .execute();
      }),
    /** Requests granted to the owner's live keys in the month that counts at wall-clock time `now` (ms). */
    async monthUsed(ownerId: string, now: number): Promise<number> {
      // A later month counts if the clock was set back, as in admission.ts.
      const counted = db.selectFrom('months').select('granted').where('owner_id', '=', ownerId);
      const latest = counted.where('month', '>=', calendarMonth(now).name).orderBy('month', 'desc').limit(1);
      return (await latest.executeTakeFirst())?.granted ?? 0;
    },
    /** Errors of the owner's keys from `day` on, by code and operation, most frequent first. */
    listErrors: (ownerId: string, day: string): Promise<Pick<ErrorRow, 'code' | 'operation' | 'count'>[]> =>
      db
        .selectFrom('usage_errors')
        .innerJoin('keys', 'id', 'key_id')
        .select(({ fn }) => ['code', 'operation', fn.sum<number>('count').as('count')])
        .where('owner_id', '=', ownerId)
        .where('day', '>=', day)
        .groupBy(['code', 'operation'])
        .orderBy('count', 'desc')
        .orderBy('code', (order) => order.collate('C'))
        .orderBy('operation', (order) => order.collate('C'))
        .execute(),
    /** Counts for all of the owner's keys, including revoked ones, from `day` on, in order of days. */
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

export const dayOf = (wallMs: number) => new Date(wallMs).toISOString().slice(0, 10);

/** Rows written at a time; requests are answered in between. */
const AT_ONCE = 500;

const idOf = ({ day, key_id, operation, code }: ErrorRow) => `${key_id} ${day} ${operation} ${code}`;

/** Counts in memory; call `flush` periodically. */
export function countUsage(store: Pick<UsageStore, 'add' | 'addErrors'>) {
  let rows = new Map<string, CountedRow>();
  let errors = new Map<string, ErrorRow>();
  let day = { start: Number.NaN, name: '' };
  const nameOf = (now: number) => {
    if (!(now >= day.start && now < day.start + DAY_MS)) day = { start: now - (now % DAY_MS), name: dayOf(now) };
    return day.name;
  };

  const add = (row: CountedRow) => {
    const id = `${row.day} ${row.key_id} ${row.operation}`;
    const known = rows.get(id);
    if (!known) rows.set(id, row);
    else {
      known.granted += row.granted;
      known.refused += row.refused;
      known.at = Math.max(known.at, row.at);
    }
  };
  const addError = (row: ErrorRow) => {
    const known = errors.get(idOf(row));
    if (known) known.count += row.count;
    else errors.set(idOf(row), row);
  };
  return {
    /** Counts one request answered with the error `code`. */
    countError(key_id: string, operation: string, code: string, now: number): void {
      addError({ day: nameOf(now), key_id, operation, code, count: 1 });
    },
    /** Counts one request answered at wall-clock time `now` (ms). */
    count(key_id: string, operation: string, isRefused: boolean, now: number): void {
      add({ day: nameOf(now), key_id, operation, granted: isRefused ? 0 : 1, refused: isRefused ? 1 : 0, at: now });
    },
    /** Adds the counts to the store; those that cannot be written now are kept for the next time. */
    async flush(): Promise<void> {
      const [counted, failed] = [[...rows.values()], [...errors.values()]];
      rows = new Map();
      errors = new Map();
      try {
        await inBatches(counted, store.add);
        await inBatches(failed, store.addErrors);
      } catch (error) {
        counted.forEach(add);
        failed.forEach(addError);
        throw error;
      }
    },
  };
}

/** Writes `rows` in batches, removing those that have been written. */
async function inBatches<T>(rows: T[], write: (batch: readonly T[]) => Promise<void>): Promise<void> {
  while (rows.length > 0) {
    await write(rows.slice(0, AT_ONCE));
    rows.splice(0, AT_ONCE);
    await new Promise(setImmediate);
  }
}
