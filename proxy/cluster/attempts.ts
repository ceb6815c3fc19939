import { sql } from 'kysely';
import type { Allowance, Attempts } from '../accounts/attempts.ts';
import type { Db } from '../accounts/database.ts';
import { hashToken } from '../accounts/tokens.ts';

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
export function countAttemptsIn(db: Db): Attempts {
  let swept = Number.NEGATIVE_INFINITY;
  const hashes = (allowances: readonly Allowance[]) => allowances.map(({ what }) => hashToken(what));
  return {
    async take(allowances, now) {
      const moment = Math.floor(now);
      if (Math.abs(moment - swept) >= SWEPT_MS) {
        swept = moment;
        await sql`DELETE FROM attempts WHERE what IN (
          SELECT what FROM attempts WHERE until <= ${moment} LIMIT ${SWEPT} FOR UPDATE SKIP LOCKED)`.execute(db);
      }
      const most = allowances.map((allowance) => allowance.most);
      const spans = allowances.map(({ windowMs }) => windowMs);
      const taken = sql<{ wait: number | null }>`
        SELECT take_attempts(${hashes(allowances)}, ${most}, ${spans}, ${moment}) AS wait`;
      return (await taken.execute(db)).rows[0]!.wait;
    },
    async giveBack(allowances) {
      await sql`SELECT give_back_attempts(${hashes(allowances)})`.execute(db);
    },
  };
}
