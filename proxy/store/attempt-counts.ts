import { hash } from 'node:crypto';
import type { Database } from './database.ts';
import { sweep } from './statements.ts';

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

/** Rolls back the transaction of a refused attempt. */
class Refused extends Error {
  readonly waitMs: number;
  constructor(waitMs: number) {
    super('too many attempts');
    this.waitMs = waitMs;
  }
}

/**
 * Counts attempts in the store, for all its dashboards together, in windows that start with the first attempt. Names are
 * stored as hashes, since they may contain emails and IP addresses. The number of rows is bounded only by what one
 * address may do, 50 sign-ins and 20 links per window; each row is deleted soon after its window ends.
 */
export function countAttempts({ db, transactLightly }: Database): Attempts {
  // Every transaction locks rows in this order, so that none waits for another in a circle.
  const inOrder = (allowances: readonly Allowance[]) =>
    allowances
      .map((allowance) => ({ ...allowance, hash: hash('sha256', allowance.what, 'buffer') }))
      .sort((a, b) => a.hash.compare(b.hash));

  return {
    async take(allowances, now) {
      const moment = Math.floor(now);
      await sweep(db, 'attempts', ['what'], 'until', moment);
      const sorted = inOrder(allowances);
      try {
        await transactLightly(async (tx) => {
          const counted = await tx
            .insertInto('attempts')
            .values(sorted.map((allowance) => ({ what: allowance.hash, count: 1, until: moment + allowance.windowMs })))
            .onConflict((known) =>
              known.column('what').doUpdateSet(({ eb, ref }) => ({
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
          const allowanceFor = (what: Uint8Array) => sorted.find((allowance) => allowance.hash.equals(what))!.most;
          const full = counted.filter(({ what, count }) => count > allowanceFor(what));
          if (full.length > 0) throw new Refused(Math.max(...full.map(({ until }) => until - moment)));
        });
        return null;
      } catch (error) {
        if (error instanceof Refused) return error.waitMs;
        throw error;
      }
    },
    async giveBack(allowances) {
      const names = inOrder(allowances).map((allowance) => allowance.hash);
      await transactLightly(async (tx) => {
        await tx.selectFrom('attempts').select('what').where('what', 'in', names).orderBy('what').forUpdate().execute();
        await tx.deleteFrom('attempts').where('what', 'in', names).where('count', '<=', 1).execute();
        await tx
          .updateTable('attempts')
          .set(({ eb }) => ({ count: eb('count', '-', 1) }))
          .where('what', 'in', names)
          .execute();
      });
    },
  };
}
