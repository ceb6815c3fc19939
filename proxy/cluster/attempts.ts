import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Allowance, Attempts } from '../store/attempt-counts.ts';
import type { Db } from '../store/database.ts';

/** How often expired windows are deleted, and how many at once: a flood must not delay those who come after it. */
const SWEEP_MS = 60_000;
const SWEEP_ROWS = 50_000;

/**
 * Counts attempts in `db` for all its dashboards together, in windows that start with the first attempt. Each call is a
 * single round trip, which locks rows only while the server processes it, so a stalled client blocks nobody else.
 *
 * The names of allowances are stored as hashes, since they may contain emails and IP addresses. The number of rows is
 * bounded only by what one IP address may do, 50 sign-ins and 20 links per window; each row is deleted soon after its
 * window ends.
 */
export function countAttemptsIn(db: Db): Attempts {
  let swept = Number.NEGATIVE_INFINITY;
  const hashes = (allowances: readonly Allowance[]) => allowances.map(({ what }) => hash('sha256', what, 'buffer'));
  return {
    async take(allowances, now) {
      const moment = Math.floor(now);
      if (Math.abs(moment - swept) >= SWEEP_MS) {
        swept = moment;
        await sql`DELETE FROM attempts WHERE what IN (
          SELECT what FROM attempts WHERE until <= ${moment} LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED)`.execute(db);
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
