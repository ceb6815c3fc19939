import { accountStatus } from '../keys/accounts.ts';
import { randomText } from '../keys/key-format.ts';
import type { Postgres, Query } from '../postgres.ts';
import { UsageError } from '../usage-error.ts';
import {
  actorOf,
  checkEmail,
  checkMayInvite,
  checkPersonName,
  INVITATION_MS,
  type Person,
  RESET_MS,
  SWEPT_AT_ONCE,
} from './people.ts';
import { record } from './postgres-audit.ts';
import {
  accountOf,
  endSessions,
  holdPerson,
  holdPlace,
  PERSON,
  peopleOf,
  present,
  spendLinksOf,
} from './postgres-rows.ts';
import type { Directory, Invitation } from './store.ts';

type Links = Pick<
  Directory,
  | 'invite'
  | 'listInvitations'
  | 'withdrawInvitation'
  | 'openReset'
  | 'findLink'
  | 'acceptInvitation'
  | 'resetPassword'
  | 'changePassword'
>;

const INVITATION = 'id, email, role, account_id, created_at, expires_at';

type LinkRow = Invitation & { purpose: 'invitation' | 'reset'; person_id: string | null };

/** A link that is good at `now`, not held: whoever uses it up finds out whether it still is. */
async function liveLink(query: Query, hash: Buffer, now: number): Promise<LinkRow | undefined> {
  const [row] = await query<LinkRow>(
    `SELECT ${INVITATION}, purpose, person_id FROM links WHERE hash = $1 AND used_at IS NULL AND expires_at > $2`,
    [hash, now],
  );
  return row;
}

/** Uses a link up. False where another has, or it was replaced: of several at once one gets true. */
async function spendLink(query: Query, hash: Buffer, now: number): Promise<boolean> {
  const spent = await query('UPDATE links SET used_at = $2 WHERE hash = $1 AND used_at IS NULL RETURNING 1', [
    hash,
    now,
  ]);
  return spent.length === 1;
}

/** Links, and the passwords that they and people themselves set, in `db`. */
export function postgresLinks(db: Postgres): Links {
  return {
    async invite({ email, role, accountId, hash }, now, by) {
      const address = checkEmail(email);
      return db.transact(async (query) => {
        const account = await holdPlace(query, accountId);
        checkMayInvite(address, role, account, await peopleOf(query, accountId));
        await query(
          `UPDATE links SET used_at = $3 WHERE purpose = 'invitation' AND email = $1
           AND account_id IS NOT DISTINCT FROM $2 AND used_at IS NULL`,
          [address, accountId, now],
        );
        const [made] = await query<Invitation>(
          `INSERT INTO links (id, hash, purpose, email, role, account_id, created_at, expires_at)
           VALUES ($1, $2, 'invitation', $3, $4, $5, $6, $7) RETURNING ${INVITATION}`,
          [`inv_${randomText(12)}`, hash, address, role, accountId, now, now + INVITATION_MS],
        );
        await record(query, { action: 'person.invite', account: accountId, subject: address, detail: role }, by, now);
        return made!;
      });
    },
    listInvitations: (accountId, now) =>
      db.query<Invitation>(
        `SELECT ${INVITATION} FROM links WHERE purpose = 'invitation' AND account_id IS NOT DISTINCT FROM $1
         AND used_at IS NULL AND expires_at > $2 ORDER BY created_at, email COLLATE "C"`,
        [accountId, now],
      ),
    withdrawInvitation: (id, accountId, now, by) =>
      db.transact(async (query) => {
        await holdPlace(query, accountId);
        const [row] = await query<Invitation>(
          `UPDATE links SET used_at = $3 WHERE id = $1 AND purpose = 'invitation'
           AND account_id IS NOT DISTINCT FROM $2 AND used_at IS NULL RETURNING email`,
          [id, accountId, now],
        );
        if (!row) throw new UsageError('this invitation is no longer open');
        await record(query, { action: 'person.uninvite', account: accountId, subject: row.email }, by, now);
      }),
    async openReset(personId, hash, now, by) {
      // By itself, and past what others are at, so that nobody waits for it.
      await db.query(
        `DELETE FROM links WHERE id IN (
           SELECT id FROM links WHERE purpose = 'reset' AND expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        [now, SWEPT_AT_ONCE],
      );
      await db.transact(async (query) => {
        const found = await holdPerson(query, personId);
        const person = personId === null ? null : present(found);
        await spendLinksOf(query, personId, now);
        await query(
          `INSERT INTO links (id, hash, purpose, person_id, email, created_at, expires_at)
           VALUES ($1, $2, 'reset', $3, $4, $5, $6)`,
          [`res_${randomText(12)}`, hash, personId, person?.email ?? '', now, now + RESET_MS],
        );
        if (by && person) {
          const deed = { account: person.account_id, subject: person.email };
          await record(query, { action: 'password.link', ...deed }, by, now);
        }
      });
    },
    async findLink(hash, now) {
      const row = await liveLink(db.query, hash, now);
      if (!row) return null;
      const { purpose, person_id, ...invitation } = row;
      if (purpose === 'invitation') {
        const account = await accountOf(db.query, invitation.account_id);
        return account && accountStatus(account) === 'removed' ? null : { invitation, person: null };
      }
      const [person] = await db.query<Person>(`SELECT ${PERSON} FROM people WHERE id = $1 AND removed_at IS NULL`, [
        person_id,
      ]);
      return person ? { invitation: null, person } : null;
    },
    async acceptInvitation(hash, name, passwordHash, now) {
      const checked = checkPersonName(name);
      return db.transact(async (query) => {
        const row = await liveLink(query, hash, now);
        if (row?.purpose !== 'invitation') return null;
        const { email, role, account_id } = row;
        const account = await holdPlace(query, account_id);
        if (account && accountStatus(account) === 'removed') return null;
        if (role === 'researcher' && (await peopleOf(query, account_id)).length > 0) return null;
        if (!(await spendLink(query, hash, now))) return null;
        const [person] = await query<Person>(
          `INSERT INTO people (id, email, name, role, account_id, password_hash, created_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (email) WHERE removed_at IS NULL DO NOTHING
           RETURNING ${PERSON}`,
          [`per_${randomText(12)}`, email, checked, role, account_id, passwordHash, now],
        );
        // Undoes the rest too: the link stays good.
        if (!person) {
          throw new UsageError(`${email} has an account here already; an address can be in one account only`);
        }
        await record(query, { action: 'person.join', account: account_id, detail: role }, actorOf(person), now);
        return person;
      });
    },
    resetPassword: (hash, passwordHash, now) =>
      db.transact(async (query) => {
        const row = await liveLink(query, hash, now);
        if (row?.purpose !== 'reset') return null;
        const person = await holdPerson(query, row.person_id);
        if (!person || !(await spendLink(query, hash, now))) return null;
        await spendLinksOf(query, person.id, now);
        await query('UPDATE people SET password_hash = $2 WHERE id = $1', [person.id, passwordHash]);
        await endSessions(query, person.id);
        await record(query, { action: 'password.reset', account: person.account_id }, actorOf(person), now);
        return person;
      }),
    changePassword: (session, passwordHash, fresh, now) =>
      db.transact(async (query) => {
        const held = 'FROM sessions WHERE hash = $1 AND NOT factor_due';
        const [found] = await query<{ person_id: string }>(`SELECT person_id ${held}`, [session]);
        const person = found ? await holdPerson(query, found.person_id) : null;
        // Again, now that none of this person's sessions is ended by others meanwhile.
        if (!person || (await query(`SELECT ${held}`, [session])).length === 0) return false;
        await query('UPDATE people SET password_hash = $2 WHERE id = $1', [person.id, passwordHash]);
        await endSessions(query, person.id);
        await query('INSERT INTO sessions VALUES ($1, $2, false, $3, $3)', [fresh, person.id, now]);
        await spendLinksOf(query, person.id, now);
        await record(query, { action: 'password.change', account: person.account_id }, actorOf(person), now);
        return true;
      }),
  };
}
