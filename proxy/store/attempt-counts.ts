import { hash } from 'node:crypto';
import type { Database, Db } from './database.ts';
import { sweep } from './statements.ts';

/** The maximum number of attempts at `what` in a window of time. */
export interface Allowance {
  what: string;
  most: number;
  windowMs: number;
}

/** Rolls back the transaction of a refused attempt. */
class Refused extends Error {
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
  async take(allowances: readonly Allowance[], now: number): Promise<number | null> {
    const moment = Math.floor(now);
    await sweep(this.#database.db, 'attempts', ['what'], 'until', moment);
    const hashed = hashAllowances(allowances);
    try {
      await this.#database.transactLightly((tx) => charge(tx, hashed, moment));
      return null;
    } catch (error) {
      if (error instanceof Refused) return error.waitMs;
      throw error;
    }
  }

  /** Gives back what `take` charged, for an attempt that succeeded. */
  async giveBack(allowances: readonly Allowance[]): Promise<void> {
    const hashes = hashAllowances(allowances).map((allowance) => allowance.hash);
    await this.#database.transactLightly(async (tx) => {
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
    .map((allowance) => ({ ...allowance, hash: hash('sha256', allowance.what, 'buffer') }))
    .sort((a, b) => a.hash.compare(b.hash));

/** @throws Refused if one of the allowances is used up */
async function charge(tx: Db, allowances: readonly HashedAllowance[], moment: number): Promise<void> {
  const counted = await tx
    .insertInto('attempts')
    .values(allowances.map(({ hash: what, windowMs }) => ({ what, count: 1, until: moment + windowMs })))
    .onConflict((conflict) =>
      conflict.column('what').doUpdateSet(({ eb, ref }) => ({
        count: eb
          .case()
          .when('attempts.until', '>', moment)
          .then(eb('attempts.count', '+', 1))
          .else(1)
          .end(),
        until: eb
          .case()
          .when('attempts.until', '>', moment)
          .then(ref('attempts.until'))
          .else(ref('excluded.until'))
          .end(),
      })),
    )
    .returningAll()
    .execute();
  const mostFor = (what: Uint8Array) => allowances.find((allowance) => allowance.hash.equals(what))!.most;
  const full = counted.filter(({ what, count }) => count > mostFor(what));
  if (full.length > 0) throw new Refused(Math.max(...full.map(({ until }) => until - moment)));
}
