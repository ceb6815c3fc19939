import type { Account } from '../keys/accounts.ts';
import { accountStatus } from '../keys/accounts.ts';
import { randomText } from '../keys/key-format.ts';
import { transact, transactUnsynced } from '../sqlite-file.ts';
import { openStoreFile } from '../sqlite-schema.ts';
import { UsageError } from '../usage-error.ts';
import { type AuditEntry, record } from './audit.ts';
import {
  actorOf,
  checkEmail,
  checkMayInvite,
  checkNotLast,
  checkPersonName,
  INVITATION_MS,
  type Person,
  RESET_MS,
  rolesIn,
  SWEPT_AT_ONCE,
} from './people.ts';
import { type Row, toCredentials, toInvitation, toPerson } from './sqlite-rows.ts';
import { sqliteSessions } from './sqlite-sessions.ts';
import type { Directory, Link } from './store.ts';

/** The people of the store in an SQLite file, by a connection of its own. */
export function openSqliteDirectory(file: string): Directory {
  const db = openStoreFile(file);
  const change = <T>(work: () => T): T => transact(db, work);

  const accountOf = (id: string | null): Account | null => {
    if (id === null) return null;
    return db.prepare('SELECT * FROM accounts WHERE id = ?').get(id) as unknown as Account;
  };
  const personRow = (id: string): Row => {
    const row = db.prepare('SELECT * FROM people WHERE id = ? AND removed_at IS NULL').get(id);
    if (!row) throw new UsageError('this person is no longer here');
    return row;
  };
  const peopleOf = (accountId: string | null): Person[] =>
    db
      .prepare('SELECT * FROM people WHERE account_id IS ? AND removed_at IS NULL ORDER BY created_at, email')
      .all(accountId)
      .map(toPerson);
  const endSessions = (personId: string) => db.prepare('DELETE FROM sessions WHERE person_id = ?').run(personId);
  const spendLinksOf = (personId: string | null, now: number) =>
    db.prepare('UPDATE links SET used_at = ? WHERE person_id = ? AND used_at IS NULL').run(now, personId);
  const clearFactor = (personId: string) => {
    db.prepare('UPDATE people SET factor_secret = NULL WHERE id = ?').run(personId);
    db.prepare('DELETE FROM recovery_codes WHERE person_id = ?').run(personId);
  };
  const liveLink = (hash: Buffer, now: number): Row | undefined =>
    db.prepare('SELECT * FROM links WHERE hash = ? AND used_at IS NULL AND expires_at > ?').get(hash, now);
  const useLink = (id: Row[string], now: number) =>
    db.prepare('UPDATE links SET used_at = ? WHERE id = ?').run(now, id!);

  return {
    ...sqliteSessions(db, accountOf),
    credentials(email) {
      return toCredentials(db.prepare('SELECT * FROM people WHERE email = ? AND removed_at IS NULL').get(email));
    },
    credentialsById(id) {
      return toCredentials(db.prepare('SELECT * FROM people WHERE id = ? AND removed_at IS NULL').get(id));
    },
    listPeople: peopleOf,
    namesOf(ids) {
      const find = db.prepare('SELECT name FROM people WHERE id = ?');
      return new Map([...new Set(ids)].map((id) => [id, String(find.get(id)?.name ?? id)]));
    },
    changeRole(id, role, now, by) {
      change(() => {
        const person = toPerson(personRow(id));
        if (person.role === role) return;
        if (!rolesIn(accountOf(person.account_id)).includes(role)) throw new UsageError('no such role here');
        checkNotLast(person, peopleOf(person.account_id), 'change this role');
        db.prepare('UPDATE people SET role = ? WHERE id = ?').run(role, id);
        const deed = { account: person.account_id, subject: person.email, detail: `${person.role} to ${role}` };
        record(db, { action: 'person.role', ...deed }, by, now);
      });
    },
    removePerson(id, now, by) {
      change(() => {
        const person = toPerson(personRow(id));
        checkNotLast(person, peopleOf(person.account_id), 'remove this one');
        // First, since people may remove themselves, and those removed do nothing.
        record(db, { action: 'person.remove', account: person.account_id, subject: person.email }, by, now);
        db.prepare("UPDATE people SET removed_at = ?, password_hash = '' WHERE id = ?").run(now, id);
        clearFactor(id);
        endSessions(id);
        spendLinksOf(id, now);
        db.prepare('DELETE FROM browsers WHERE person_id = ?').run(id);
      });
    },

    invite({ email, role, accountId, hash }, now, by) {
      const address = checkEmail(email);
      return change(() => {
        checkMayInvite(address, role, accountOf(accountId), peopleOf(accountId));
        db.prepare(
          `UPDATE links SET used_at = ?
           WHERE purpose = 'invitation' AND email = ? AND account_id IS ? AND used_at IS NULL`,
        ).run(now, address, accountId);
        const id = `inv_${randomText(12)}`;
        db.prepare(
          `INSERT INTO links (id, hash, purpose, email, role, account_id, created_at, expires_at)
           VALUES (?, ?, 'invitation', ?, ?, ?, ?, ?)`,
        ).run(id, hash, address, role, accountId, now, now + INVITATION_MS);
        record(db, { action: 'person.invite', account: accountId, subject: address, detail: role }, by, now);
        return toInvitation(db.prepare('SELECT * FROM links WHERE id = ?').get(id)!);
      });
    },
    listInvitations(accountId, now) {
      return db
        .prepare(
          `SELECT * FROM links WHERE purpose = 'invitation' AND account_id IS ? AND used_at IS NULL AND expires_at > ?
           ORDER BY created_at, email`,
        )
        .all(accountId, now)
        .map(toInvitation);
    },
    withdrawInvitation(id, accountId, now, by) {
      change(() => {
        const row = db
          .prepare(
            "SELECT * FROM links WHERE id = ? AND purpose = 'invitation' AND account_id IS ? AND used_at IS NULL",
          )
          .get(id, accountId);
        if (!row) throw new UsageError('this invitation is no longer open');
        useLink(row.id!, now);
        record(db, { action: 'person.uninvite', account: accountId, subject: String(row.email) }, by, now);
      });
    },
    openReset(personId, hash, now, by) {
      // What anybody can ask for must cost the API next to it little; one that a power cut forgets is asked for again.
      const write = by === null ? transactUnsynced : transact;
      write(db, () => {
        const person = personId === null ? null : toPerson(personRow(personId));
        spendLinksOf(personId, now);
        db.prepare(
          `DELETE FROM links WHERE id IN (SELECT id FROM links WHERE purpose = 'reset' AND expires_at < ? LIMIT ?)`,
        ).run(now, SWEPT_AT_ONCE);
        db.prepare(
          `INSERT INTO links (id, hash, purpose, person_id, email, created_at, expires_at)
           VALUES (?, ?, 'reset', ?, ?, ?, ?)`,
        ).run(`res_${randomText(12)}`, hash, personId, person?.email ?? '', now, now + RESET_MS);
        if (by && person)
          record(db, { action: 'password.link', account: person.account_id, subject: person.email }, by, now);
      });
    },
    findLink(hash, now): Link | null {
      const row = liveLink(hash, now);
      if (!row) return null;
      if (row.purpose === 'invitation') {
        const account = accountOf(row.account_id as string | null);
        if (account && accountStatus(account) === 'removed') return null;
        return { invitation: toInvitation(row), person: null };
      }
      const found = db.prepare('SELECT * FROM people WHERE id = ? AND removed_at IS NULL').get(row.person_id ?? null);
      return found ? { invitation: null, person: toPerson(found) } : null;
    },
    acceptInvitation(hash, name, passwordHash, now) {
      const checked = checkPersonName(name);
      return change(() => {
        const row = liveLink(hash, now);
        if (row?.purpose !== 'invitation') return null;
        const { email, role, account_id } = toInvitation(row);
        const account = accountOf(account_id);
        if (account && accountStatus(account) === 'removed') return null;
        if (db.prepare('SELECT 1 FROM people WHERE email = ? AND removed_at IS NULL').get(email)) {
          throw new UsageError(`${email} has an account here already; an address can be in one account only`);
        }
        if (role === 'researcher' && peopleOf(account_id).length > 0) return null;
        useLink(row.id!, now);
        const id = `per_${randomText(12)}`;
        db.prepare(
          `INSERT INTO people (id, email, name, role, account_id, password_hash, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ).run(id, email, checked, role, account_id, passwordHash, now);
        const person = toPerson(personRow(id));
        record(db, { action: 'person.join', account: account_id, detail: role }, actorOf(person), now);
        return person;
      });
    },
    resetPassword(hash, passwordHash, now) {
      return change(() => {
        const row = liveLink(hash, now);
        if (row?.purpose !== 'reset') return null;
        const found = db.prepare('SELECT * FROM people WHERE id = ? AND removed_at IS NULL').get(row.person_id ?? null);
        if (!found) return null;
        const person = toPerson(found);
        spendLinksOf(person.id, now);
        db.prepare('UPDATE people SET password_hash = ? WHERE id = ?').run(passwordHash, person.id);
        endSessions(person.id);
        record(db, { action: 'password.reset', account: person.account_id }, actorOf(person), now);
        return person;
      });
    },

    changePassword(session, passwordHash, fresh, now) {
      return change(() => {
        const held = db.prepare('SELECT person_id FROM sessions WHERE hash = ? AND factor_due = 0').get(session);
        if (!held) return false;
        const person = toPerson(personRow(String(held.person_id)));
        const { id } = person;
        db.prepare('UPDATE people SET password_hash = ? WHERE id = ?').run(passwordHash, id);
        endSessions(id);
        db.prepare('INSERT INTO sessions VALUES (?, ?, 0, ?, ?)').run(fresh, id, now, now);
        spendLinksOf(id, now);
        record(db, { action: 'password.change', account: person.account_id }, actorOf(person), now);
        return true;
      });
    },
    spendStep(id, step) {
      const { changes } = db
        .prepare('UPDATE people SET factor_step = ? WHERE id = ? AND factor_step < ? AND factor_secret IS NOT NULL')
        .run(step, id, step);
      return changes === 1;
    },
    spendRecoveryCode(id, hash, now) {
      return change(() => {
        const { changes } = db.prepare('DELETE FROM recovery_codes WHERE person_id = ? AND hash = ?').run(id, hash);
        if (changes !== 1) return false;
        const person = toPerson(personRow(id));
        const left = Number(db.prepare('SELECT count(*) AS n FROM recovery_codes WHERE person_id = ?').get(id)!.n);
        const detail = `${left} left`;
        record(db, { action: 'factor.recovery', account: person.account_id, detail }, actorOf(person), now);
        return true;
      });
    },
    turnFactorOn(id, { secret, step, recovery }, now) {
      change(() => {
        const person = toPerson(personRow(id));
        clearFactor(id);
        db.prepare('UPDATE people SET factor_secret = ?, factor_step = ? WHERE id = ?').run(secret, step, id);
        const add = db.prepare('INSERT INTO recovery_codes VALUES (?, ?)');
        for (const hash of recovery) add.run(id, hash);
        record(db, { action: 'factor.on', account: person.account_id }, actorOf(person), now);
      });
    },
    turnFactorOff(id, now, by) {
      change(() => {
        const person = toPerson(personRow(id));
        if (!person.has_factor) return;
        clearFactor(id);
        const action = by.id === id ? 'factor.off' : 'factor.drop';
        const subject = by.id === id ? '' : person.email;
        record(db, { action, account: person.account_id, subject }, by, now);
      });
    },

    enter(deed, by, now) {
      change(() => record(db, deed, by, now));
    },
    listAudit({ accountId, before = Number.MAX_SAFE_INTEGER, most }) {
      const where = accountId === undefined ? '' : 'account_id = ? AND';
      const bound = accountId === undefined ? [before, most] : [accountId, before, most];
      const rows = db.prepare(`SELECT * FROM audit WHERE ${where} id < ? ORDER BY id DESC LIMIT ?`).all(...bound);
      return rows.map((row) => ({ ...row }) as unknown as AuditEntry);
    },
    close() {
      db.close();
    },
  };
}
