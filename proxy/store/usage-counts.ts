/** Requests by day, key and operation, and when keys were last used: counted in memory and written periodically. */
import { sql } from 'kysely';
import { DAY_MS } from '../../pipeline/lib/clock.ts';
import { monthAt } from '../limits/calendar-month.ts';
import type { Database } from './database.ts';
import type { KeyKind } from './key-format.ts';
import type { UsageRow } from './row-types.ts';

/** A count to be added, and the wall-clock time (ms) of the last of its requests. */
export interface CountedRow extends UsageRow {
  lastAt: number;
}

export interface OwnerUsage extends Pick<UsageRow, 'day' | 'key_id' | 'operation'> {
  granted: number;
  /** By a limit (429). */
  refused: number;
  key_name: string;
  kind: KeyKind;
}

const rowId = ({ day, key_id, operation, outcome }: UsageRow) => `${key_id} ${day} ${operation} ${outcome}`;

/** The outcomes that are not codes of errors. */
const OUTCOMES = ['granted', 'refused'] as const;

/** Sums over a group of rows. PostgreSQL's sum is read as a number only if it is cast to bigint. */
const COUNT_SUM = sql<number>`CAST(sum(count) AS bigint)`;
const sumOutcome = (outcome: string) =>
  sql<number>`CAST(coalesce(sum(count) FILTER (WHERE outcome = ${outcome}), 0) AS bigint)`;

/** How many days of counts are kept. */
export const DAYS_KEPT = 400;

/** The counts in the database. */
export class UsageStore {
  readonly #database: Database;
  /** The last day on which old counts were deleted. */
  #lastCleanupDay = '';

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds `rows` to the stored counts, and records when their keys were last used. */
  async add(rows: readonly CountedRow[]): Promise<void> {
    const latestDay = rows.at(-1)!.day;
    const oldestKeptDay = utcDay(Date.parse(latestDay) - DAYS_KEPT * DAY_MS);
    // Always in the same order, so that two proxies cannot deadlock.
    const sorted = rows.toSorted((a, b) => (rowId(a) < rowId(b) ? -1 : 1));
    const uses = new Map<string, number>();
    for (const { key_id, lastAt } of sorted) uses.set(key_id, Math.max(lastAt, uses.get(key_id) ?? 0));
    // Synced to disk, and with it all grants before: in SQLite a power cut loses those of a minute at most.
    await this.#database.transact(async (tx) => {
      await tx
        .insertInto('usage')
        .values(sorted.map(({ lastAt: _, ...row }) => row))
        .onConflict((conflict) =>
          conflict
            .columns(['key_id', 'day', 'operation', 'outcome'])
            .doUpdateSet(({ eb, ref }) => ({ count: eb('usage.count', '+', ref('excluded.count')) })),
        )
        .execute();
      await tx
        .insertInto('key_uses')
        .values([...uses].map(([key_id, at]) => ({ key_id, last_used_at: Math.floor(at) })))
        .onConflict((conflict) =>
          conflict
            .column('key_id')
            .doUpdateSet(({ ref }) => ({ last_used_at: ref('excluded.last_used_at') }))
            .whereRef('key_uses.last_used_at', '<', 'excluded.last_used_at'),
        )
        .execute();
      if (latestDay === this.#lastCleanupDay) return;
      await tx.deleteFrom('usage').where('day', '<', oldestKeptDay).execute();
    });
    this.#lastCleanupDay = latestDay;
  }

  /** Requests granted to the owner's live keys in the month that counts at wall-clock time `now` (ms). */
  async grantedInMonth(ownerId: string, now: number): Promise<number> {
    // A later month counts if the clock was set back, as in admission.ts.
    const counted = this.#database.db.selectFrom('months').select('granted').where('owner_id', '=', ownerId);
    const latest = counted.where('month', '>=', monthAt(now).name).orderBy('month', 'desc').limit(1);
    return (await latest.executeTakeFirst())?.granted ?? 0;
  }

  /** Errors of the owner's keys from `day` on, by code and operation, most frequent first. */
  listErrors(ownerId: string, day: string): Promise<{ code: string; operation: string; count: number }[]> {
    return this.#usageSince(ownerId, day)
      .where('outcome', 'not in', OUTCOMES)
      .select(['outcome as code', 'operation', COUNT_SUM.as('count')])
      .groupBy(['outcome', 'operation'])
      .orderBy(COUNT_SUM, 'desc')
      .orderBy('outcome', (order) => order.collate('C'))
      .orderBy('operation', (order) => order.collate('C'))
      .execute();
  }

  /** Counts for all of the owner's keys, including revoked ones, from `day` on, in order of days. */
  listUsage(ownerId: string, day: string): Promise<OwnerUsage[]> {
    return this.#usageSince(ownerId, day)
      .where('outcome', 'in', OUTCOMES)
      .select(['day', 'key_id', 'operation', 'name as key_name', 'kind'])
      .select(OUTCOMES.map((outcome) => sumOutcome(outcome).as(outcome)))
      .groupBy(['day', 'key_id', 'operation', 'name', 'kind'])
      .orderBy('day')
      .orderBy('operation', (order) => order.collate('C'))
      .execute();
  }

  #usageSince(ownerId: string, day: string) {
    const rows = this.#database.db.selectFrom('usage').innerJoin('keys', 'id', 'key_id');
    return rows.where('owner_id', '=', ownerId).where('day', '>=', day);
  }
}

export const utcDay = (wallMs: number) => new Date(wallMs).toISOString().slice(0, 10);

/** Rows written at a time; requests are answered in between. */
const AT_ONCE = 500;

/** The counts in memory; call `flush` periodically. */
export class UsageCounter {
  readonly #store: Pick<UsageStore, 'add'>;
  #rows = new Map<string, CountedRow>();

  constructor(store: Pick<UsageStore, 'add'>) {
    this.#store = store;
  }

  /**
   * Counts one request answered at wall-clock time `now` (ms): as 'granted' or 'refused', and in a further call under
   * the code of the error, if that was the answer.
   */
  count(key_id: string, operation: string, outcome: string, now: number): void {
    this.#add({ day: utcDay(now), key_id, operation, outcome, count: 1, lastAt: now });
  }

  /** Adds the counts to the store in batches; those that cannot be written now are kept for the next time. */
  async flush(): Promise<void> {
    const counted = [...this.#rows.values()];
    this.#rows = new Map();
    try {
      while (counted.length > 0) {
        await this.#store.add(counted.slice(0, AT_ONCE));
        counted.splice(0, AT_ONCE);
        await new Promise(setImmediate);
      }
    } catch (error) {
      for (const row of counted) this.#add(row);
      throw error;
    }
  }

  #add(row: CountedRow): void {
    const counted = this.#rows.get(rowId(row));
    if (!counted) return void this.#rows.set(rowId(row), row);
    counted.count += row.count;
    counted.lastAt = Math.max(counted.lastAt, row.lastAt);
  }
}
