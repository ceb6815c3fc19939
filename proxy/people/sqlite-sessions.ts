import type { DatabaseSync } from 'node:sqlite';
import type { Account } from '../keys/accounts.ts';
import { transact, transactUnsynced } from '../sqlite-file.ts';
import { BROWSER_MS, isSessionAlive, mayVisit, SEEN_MS, SESSION_MS } from './people.ts';
import { toPerson } from './sqlite-rows.ts';
import type { Sessions } from './store.ts';

/** Sessions, and the browsers that people have signed in with, in `db`. */
export function sqliteSessions(db: DatabaseSync, accountOf: (id: string | null) => Account | null): Sessions {
  return {
    openSession(hash, { id, passwordHash, factorDue }, now) {
      return transact(db, () => {
        db.prepare('DELETE FROM sessions WHERE created_at <= ?').run(now - SESSION_MS);
        const row = db.prepare('SELECT * FROM people WHERE id = ? AND removed_at IS NULL').get(id);
        if (row?.password_hash !== passwordHash) return false;
        const { account_id, has_factor } = toPerson(row);
        if (has_factor !== factorDue || !mayVisit(accountOf(account_id))) return false;
        db.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?)').run(hash, id, Number(factorDue), now, now);
        return true;
      });
    },
    completeSession(due, hash, now) {
      const { changes } = db
        .prepare(
          'UPDATE sessions SET hash = ?, factor_due = 0, created_at = ?, seen_at = ? WHERE hash = ? AND factor_due = 1',
        )
        .run(hash, now, now, due);
      return changes === 1;
    },
    visitor(hash, now) {
      const session = db.prepare('SELECT * FROM sessions WHERE hash = ?').get(hash);
      if (!session) return null;
      const factorDue = session.factor_due === 1;
      const [created_at, seen_at] = [Number(session.created_at), Number(session.seen_at)];
      if (!isSessionAlive({ factor_due: factorDue, created_at, seen_at }, now)) return null;
      const row = db.prepare('SELECT * FROM people WHERE id = ? AND removed_at IS NULL').get(session.person_id!);
      if (!row) return null;
      const person = toPerson(row);
      const account = accountOf(person.account_id);
      if (!mayVisit(account)) return null;
      if (now - seen_at >= SEEN_MS) {
        transactUnsynced(db, () => db.prepare('UPDATE sessions SET seen_at = ? WHERE hash = ?').run(now, hash));
      }
      return { person, account, factorDue };
    },
    closeSession(hash) {
      db.prepare('DELETE FROM sessions WHERE hash = ?').run(hash);
    },
    closeOtherSessions(personId, kept) {
      db.prepare('DELETE FROM sessions WHERE person_id = ? AND hash <> ?').run(personId, kept);
    },
    rememberBrowser(hash, personId, now) {
      transactUnsynced(db, () => {
        db.prepare('DELETE FROM browsers WHERE seen_at <= ?').run(now - BROWSER_MS);
        db.prepare('INSERT OR REPLACE INTO browsers VALUES (?, ?, ?)').run(hash, personId, now);
      });
    },
    knowsBrowser(hash, personId, now) {
      const row = db.prepare('SELECT seen_at FROM browsers WHERE hash = ? AND person_id = ?').get(hash, personId);
      return row !== undefined && now - Number(row.seen_at) < BROWSER_MS;
    },
  };
}
