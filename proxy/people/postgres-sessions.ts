import type { Account } from '../keys/accounts.ts';
import { ACCOUNT, type AccountRow, toAccount } from '../keys/postgres-rows.ts';
import type { Postgres } from '../postgres.ts';
import { BROWSER_MS, isSessionAlive, mayVisit, type Person, SEEN_MS, SESSION_MS, SWEPT_AT_ONCE } from './people.ts';
import { accountOf, endSessions, holdPerson, PERSON } from './postgres-rows.ts';
import type { Sessions } from './store.ts';

interface VisitRow {
  factor_due: boolean;
  created_at: number;
  seen_at: number;
  person: Person;
  /** Null for the service team. */
  account: AccountRow | null;
}

/** Sessions, and the browsers that people have signed in with, in `db`. */
export function postgresSessions(db: Postgres): Sessions {
  return {
    async openSession(hash, { id, passwordHash, factorDue }, now) {
      // By itself, and past what others are at, so that nobody waits for it.
      await db.query(
        'DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE created_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)',
        [now - SESSION_MS, SWEPT_AT_ONCE],
      );
      return db.transact(async (query) => {
        const [known] = await query<Person>('SELECT account_id FROM people WHERE id = $1', [id]);
        if (!known) return false;
        // Both held against what would end the session at this very moment, and does so once it is there.
        const account = await accountOf(query, known.account_id, 'FOR SHARE');
        const [person] = await query<Person & { password_hash: string }>(
          `SELECT ${PERSON}, password_hash FROM people WHERE id = $1 AND removed_at IS NULL FOR SHARE`,
          [id],
        );
        if (person?.password_hash !== passwordHash || person.has_factor !== factorDue || !mayVisit(account))
          return false;
        await query('INSERT INTO sessions VALUES ($1, $2, $3, $4, $4)', [hash, id, factorDue, now]);
        return true;
      });
    },
    async completeSession(due, hash, now) {
      const done = await db.query(
        `UPDATE sessions SET hash = $2, factor_due = false, created_at = $3, seen_at = $3
         WHERE hash = $1 AND factor_due RETURNING 1`,
        [due, hash, now],
      );
      return done.length === 1;
    },
    async visitor(hash, now) {
      const [row] = await db.query<VisitRow>(
        `SELECT factor_due, s.created_at, seen_at, to_jsonb(p) AS person, to_jsonb(a) AS account
         FROM sessions s JOIN (SELECT ${PERSON} FROM people WHERE removed_at IS NULL) p ON p.id = person_id
         LEFT JOIN (SELECT ${ACCOUNT} FROM accounts) a ON a.id = p.account_id
         WHERE hash = $1`,
        [hash],
      );
      if (!row || !isSessionAlive(row, now)) return null;
      const account: Account | null = row.account && toAccount(row.account);
      if (!mayVisit(account)) return null;
      if (now - row.seen_at >= SEEN_MS) {
        await db.query('UPDATE sessions SET seen_at = greatest(seen_at, $2) WHERE hash = $1', [hash, now]);
      }
      return { person: row.person, account, factorDue: row.factor_due };
    },
    async closeSession(hash) {
      await db.query('DELETE FROM sessions WHERE hash = $1', [hash]);
    },
    closeOtherSessions: (personId, kept) =>
      db.transact(async (query) => {
        await holdPerson(query, personId);
        await endSessions(query, personId, kept);
      }),
    async rememberBrowser(hash, personId, now) {
      await db.query(
        `DELETE FROM browsers WHERE (hash, person_id) IN (
           SELECT hash, person_id FROM browsers WHERE seen_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        [now - BROWSER_MS, SWEPT_AT_ONCE],
      );
      // Held against their removal, which leaves no browser behind.
      await db.query(
        `INSERT INTO browsers SELECT $1, id, $3 FROM people WHERE id = $2 AND removed_at IS NULL FOR SHARE
         ON CONFLICT (hash, person_id) DO UPDATE SET seen_at = excluded.seen_at`,
        [hash, personId, now],
      );
    },
    async knowsBrowser(hash, personId, now) {
      const [row] = await db.query<{ seen_at: number }>(
        'SELECT seen_at FROM browsers WHERE hash = $1 AND person_id = $2',
        [hash, personId],
      );
      return row !== undefined && now - row.seen_at < BROWSER_MS;
    },
  };
}
