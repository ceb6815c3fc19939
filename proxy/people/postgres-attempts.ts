import type { Postgres } from '../postgres.ts';
import type { Allowance, Attempts } from './attempts.ts';
import { hashToken } from './tokens.ts';

/** How often windows that have ended are swept away, and how many: a flood is not to hold up whoever comes after it. */
const SWEPT_MS = 60_000;
const SWEPT = 50_000;

/**
 * Attempts counted in `db`, for all dashboards on it together, in windows that begin with the first attempt. One round
 * trip each, in which rows are held no longer than the server takes for it, so nobody holds an email up by stalling.
 *
 * What is counted is kept as a hash: it may name people and addresses. There is no bound to the rows but what an address
 * may do, 50 sign-ins and 20 links in their windows; each goes soon after its window.
 */
export function countAttemptsIn(db: Postgres): Attempts {
  let swept = Number.NEGATIVE_INFINITY;
  const hashes = (allowances: readonly Allowance[]) => allowances.map(({ what }) => hashToken(what));
  return {
    async take(allowances, now) {
      const moment = Math.floor(now);
      if (Math.abs(moment - swept) >= SWEPT_MS) {
        swept = moment;
        await db.query(
          `DELETE FROM attempts WHERE what IN (
             SELECT what FROM attempts WHERE until <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
          [moment, SWEPT],
        );
      }
      const [row] = await db.query<{ wait: number | null }>('SELECT take_attempts($1, $2, $3, $4) AS wait', [
        hashes(allowances),
        allowances.map(({ most }) => most),
        allowances.map(({ windowMs }) => windowMs),
        moment,
      ]);
      return row!.wait;
    },
    async giveBack(allowances) {
      await db.query('SELECT give_back_attempts($1)', [hashes(allowances)]);
    },
  };
}
