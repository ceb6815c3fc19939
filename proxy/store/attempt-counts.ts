import { hash } from 'node:crypto';
import type { Database, DbOrTx } from './database.ts';
import { deleteExpired } from './statements.ts';

/** The maximum number of attempts at `what` in a window of time. */
export interface Allowance {
  name: string;
  limit: number;
  windowMs: number;
}

/** Rolls back the transaction of a refused attempt. */
class TooManyAttempts extends Error {
  readonly waitMs: number;
  constructor(waitMs: number) {
    super('too many attempts');
    this.waitMs = waitMs;
  }
}

/**
 * Counts attempts in the store, for all its dashboards together, in windows that start with the first attempt. Names
 * are stored as hashes, since they may contain emails and IP addresses. The number of rows is bounded only by what one
 * address may do, 50 sign-ins and 20 links per window; each row is deleted soon after its window ends.
 */
export class Attempts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Charges an attempt to all of `allowances`, or to none. @returns null if charged, else the milliseconds to wait */
  async charge(allowances: readonly Allowance[], now: number): Promise<number | null> {
    const nowMs = Math.floor(now);
    await deleteExpired(this.#database.db, 'attempts', ['what'], 'until', nowMs);
    const hashedAllowances = hashAllowances(allowances);
    try {
      await this.#database.transactUnsynced((tx) => chargeAll(tx, hashedAllowances, nowMs));
      return null;
    } catch (error) {
      if (error instanceof TooManyAttempts) return error.waitMs;
      throw error;
    }
  }

  /** Undoes what `charge` counted, for an attempt that succeeded. */
  async giveBack(allowances: readonly Allowance[]): Promise<void> {
    const hashes = hashAllowances(allowances).map((allowance) => allowance.hash);
    await this.#database.transactUnsynced(async (tx) => {
      await tx.selectFrom('attempts').select('what').where('what', 'in', hashes).orderBy('what').forUpdate().execute();
      await tx.deleteFrom('attempts').where('what', 'in', hashes).where('count', '<=', 1).execute();
      await tx
        .updateTable('attempts')
        .set(({ eb }) => ({ count: eb('count', '-', 1) }))
        .where('what', 'in', hashes)
        .execute();
    });
  }
}

type HashedAllowance = Allowance & { hash: Buffer };

/** In the order in which every transaction locks rows, so that none waits for another in a circle. */
const hashAllowances = (allowances: readonly Allowance[]): HashedAllowance[] =>
  allowances
    .map((allowance) => ({ ...allowance, hash: hash('sha256', allowance.name, 'buffer') }))
    .sort((a, b) => a.hash.compare(b.hash));

/** @throws Refused if one of the allowances is used up */
async function chargeAll(tx: DbOrTx, allowances: readonly HashedAllowance[], nowMs: number): Promise<void> {
  const counted = await tx
    .insertInto('attempts')
    .values(allowances.map(({ hash: what, windowMs }) => ({ what, count: 1, until: nowMs + windowMs })))
    .onConflict((conflict) =>
      conflict.column('what').doUpdateSet(({ eb, ref }) => ({
        count: eb
          .case()
          .when('attempts.until', '>', nowMs)
          .then(eb('attempts.count', '+', 1))
          .else(1)
          .end(),
        until: eb
          .case()
          .when('attempts.until', '>', nowMs)
          .then(ref('attempts.until'))
          .else(ref('excluded.until'))
          .end(),
      })),
    )
    .returningAll()
    .execute();
  const limitFor = (what: Uint8Array) => allowances.find((allowance) => allowance.hash.equals(what))!.limit;
  const exceeded = counted.filter(({ what, count }) => count > limitFor(what));
  if (exceeded.length > 0) throw new TooManyAttempts(Math.max(...exceeded.map(({ until }) => until - nowMs)));
}
