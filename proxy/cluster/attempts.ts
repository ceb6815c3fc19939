import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Allowance, Attempts } from '../accounts/attempts.ts';
import type { Db } from '../accounts/database.ts';

/** How often expired windows are deleted, and how many at once: a flood must not hold up whoever comes after it. */
const SWEPT_MS = 60_000;
const SWEPT = 50_000;

/**
 * Attempts counted in `db` for all its dashboards together, in windows that start with the first attempt. Each call is
 * one round trip, which locks rows only while the server works on it, so a stalling client cannot lock an email.
 *
 * What is counted is stored as a hash, since it may name people and addresses. The number of rows is bounded only by
 * what an address may do, 50 sign-ins and 20 links per window; each row goes soon after its window.
 */
export function countAttemptsIn(db: Db): Attempts {
  let swept = Number.NEGATIVE_INFINITY;
  const hashes = (allowances: readonly Allowance[]) => allowances.map(({ what }) => hash('sha256', what, 'buffer'));
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
