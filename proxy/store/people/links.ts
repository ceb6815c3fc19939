/** Links that work once, for joining or for choosing a new password, and password changes with and without a link. */

import { UsageError } from '../../../pipeline/lib/errors.ts';
import { findAccount } from '../account-queries.ts';
import { accountStatus } from '../account-rules.ts';
import { type Actor, record } from '../audit.ts';
import type { Database, Db } from '../database.ts';
import { randomText } from '../key-format.ts';
import type { Invitation, Person, Role, Rows } from '../row-types.ts';
import { insert, sweep, update } from '../statements.ts';
import {
  accountPeople,
  endSessions,
  lockPerson,
  lockTeam,
  people,
  present,
  spendLinks,
  toPerson,
} from './person-queries.ts';
import { auditActor, checkEmail, checkMayInvite, checkPersonName, INVITATION_MS, RESET_MS } from './person-rules.ts';

/** The purpose of a valid link: an invitation, or a new password for a person. */
export type Link = { invitation: Invitation; person: null } | { invitation: null; person: Person };

function toInvitation({ hash, purpose, person_id, used_at, role, ...row }: Rows['links']): Invitation {
  return { ...row, role: role! };
}

/** A link that is valid at `now`. It is not locked: `spendLink` finds out whether it is still valid. */
const liveLink = (db: Db, hash: Buffer, now: number) => {
  const unused = db.selectFrom('links').selectAll().where('hash', '=', hash).where('used_at', 'is', null);
  return unused.where('expires_at', '>', now).executeTakeFirst();
};

/** Uses a link up. False if it was already used or replaced; of several concurrent calls, one gets true. */
const spendLink = async (tx: Db, hash: Buffer, now: number): Promise<boolean> =>
  (await update(tx, 'links', { hash, used_at: null }, { used_at: now })) === 1;

/** Selects the open invitations to an account, or to the service team if null. */
const openIn = (accountId: string | null) => ({ purpose: 'invitation', account_id: accountId, used_at: null }) as const;

export function links(database: Database) {
  const { db, transact, transactLightly } = database;
  return {
    /** Replaces an earlier invitation of the same address to the same account. */
    async invite(
      { email, role, accountId, hash }: { email: string; role: Role; accountId: string | null; hash: Buffer },
      now: number,
      by: Actor,
    ): Promise<Invitation> {
      const address = checkEmail(email);
      return transact(async (tx) => {
        const account = await lockTeam(database, tx, accountId);
        checkMayInvite(address, role, account, await accountPeople(tx, accountId));
        await update(tx, 'links', { ...openIn(accountId), email: address }, { used_at: now });
        const id = `inv_${randomText(12)}`;
        const times = { created_at: now, expires_at: now + INVITATION_MS };
        const invitation = { id, email: address, role, account_id: accountId, ...times };
        await insert(tx, 'links', { ...invitation, purpose: 'invitation', hash });
        await record(tx, { action: 'person.invite', account: accountId, subject: address, detail: role }, by, now);
        return invitation;
      });
    },
    async listInvitations(accountId: string | null, now: number): Promise<Invitation[]> {
      const open = db
        .selectFrom('links')
        .selectAll()
        .where(({ and }) => and(openIn(accountId)));
      const live = open.where('expires_at', '>', now).orderBy('created_at');
      const rows = await live.orderBy('email', (order) => order.collate('C')).execute();
      return rows.map(toInvitation);
    },
    /** Withdraws an invitation if it is to `accountId` (null for the service team). */
    withdrawInvitation: (id: string, accountId: string | null, now: number, by: Actor) =>
      transact(async (tx) => {
        await lockTeam(database, tx, accountId);
        const { email = '' } =
          (await tx.selectFrom('links').select('email').where('id', '=', id).executeTakeFirst()) ?? {};
        const isOpen = (await update(tx, 'links', { ...openIn(accountId), id }, { used_at: now })) === 1;
        if (!isOpen) throw new UsageError('this invitation is no longer open');
        await record(tx, { action: 'person.uninvite', account: accountId, subject: email }, by, now);
      }),
    /**
     * Creates a link for a new password; `by` is null if the person requested it. If `personId` is null, a link that
     * opens nothing is written all the same: the time it takes must not reveal who has an account.
     */
    async openReset(personId: string | null, hash: Buffer, now: number, by: Actor | null): Promise<void> {
      // In a transaction of its own, so that nobody waits for it.
      await transactLightly((tx) => sweep(tx, 'links', ['id'], 'expires_at', now, { purpose: 'reset' }));
      // Anyone can request one, so it must cost the API little; one lost in a power cut can be requested again.
      const write = by === null ? transactLightly : transact;
      await write(async (tx) => {
        const found = await lockPerson(tx, personId);
        const person = personId === null ? null : present(found);
        await spendLinks(tx, personId, now);
        const times = { created_at: now, expires_at: now + RESET_MS };
        const row = { id: `res_${randomText(12)}`, hash, person_id: personId, email: person?.email ?? '', ...times };
        await insert(tx, 'links', { ...row, purpose: 'reset' });
        if (!by || !person) return;
        await record(tx, { action: 'password.link', account: person.account_id, subject: person.email }, by, now);
      });
    },
    async findLink(hash: Buffer, now: number): Promise<Link | null> {
      const row = await liveLink(db, hash, now);
      if (!row) return null;
      if (row.purpose === 'invitation') {
        const account = await findAccount(db, row.account_id);
        const isDead = account && accountStatus(account) === 'removed';
        return isDead ? null : { invitation: toInvitation(row), person: null };
      }
      const found = people(db).where('id', '=', row.person_id ?? '');
      const person = await found.executeTakeFirst();
      return person ? { invitation: null, person: toPerson(person) } : null;
    },
    /** Uses the link up and creates the person. Null if it is no longer valid, as for the later of two calls. */
    async acceptInvitation(hash: Buffer, name: string, passwordHash: string, now: number): Promise<Person | null> {
      const checked = checkPersonName(name);
      return transact(async (tx) => {
        const link = await liveLink(tx, hash, now);
        if (link?.purpose !== 'invitation') return null;
        const { email, role, account_id } = toInvitation(link);
        const account = await lockTeam(database, tx, account_id);
        if (account && accountStatus(account) === 'removed') return null;
        if (role === 'researcher' && (await accountPeople(tx, account_id)).length > 0) return null;
        if (!(await spendLink(tx, hash, now))) return null;
        const id = `per_${randomText(12)}`;
        const row = { id, email, name: checked, role, account_id, password_hash: passwordHash, created_at: now };
        const joining = tx.insertInto('people').values(row).returningAll();
        const made = await joining
          .onConflict((known) => known.column('email').where('removed_at', 'is', null).doNothing())
          .executeTakeFirst();
        // Rolls everything back: the link stays valid.
        if (!made) {
          throw new UsageError(`${email} already has an account here; an address can belong to one account only`);
        }
        const person = toPerson(made);
        await record(tx, { action: 'person.join', account: account_id, detail: role }, auditActor(person), now);
        return person;
      });
    },
    /** Uses up this link and all others of the person, and ends all their sessions. */
    resetPassword: (hash: Buffer, passwordHash: string, now: number): Promise<Person | null> =>
      transact(async (tx) => {
        const row = await liveLink(tx, hash, now);
        if (row?.purpose !== 'reset') return null;
        const person = await lockPerson(tx, row.person_id);
        if (!person || !(await spendLink(tx, hash, now))) return null;
        await spendLinks(tx, person.id, now);
        await update(tx, 'people', { id: person.id }, { password_hash: passwordHash });
        await endSessions(tx, person.id);
        await record(tx, { action: 'password.reset', account: person.account_id }, auditActor(person), now);
        return person;
      }),
    /**
     * Ends all sessions of the person with `session`, and opens one under a new token. False if `session` has ended
     * since the old password was checked: whatever ended it, such as a reset, takes precedence.
     */
    changePassword: (session: Buffer, passwordHash: string, fresh: Buffer, now: number): Promise<boolean> =>
      transact(async (tx) => {
        const own = tx.selectFrom('sessions').select(['person_id', 'confirmed_at']).where('hash', '=', session);
        const held = own.where('factor_due', '=', false);
        const found = await held.executeTakeFirst();
        const person = found ? await lockPerson(tx, found.person_id) : null;
        // Checked again, now that nobody else can end this person's sessions.
        const before = person && (await held.executeTakeFirst());
        if (!before) return false;
        const { id, account_id } = person;
        await update(tx, 'people', { id }, { password_hash: passwordHash });
        await endSessions(tx, id);
        // A password is no code: the new session is confirmed only as the old one was.
        const times = { created_at: now, seen_at: now, confirmed_at: before.confirmed_at };
        await insert(tx, 'sessions', { hash: fresh, person_id: id, factor_due: false, ...times });
        await spendLinks(tx, id, now);
        await record(tx, { action: 'password.change', account: account_id }, auditActor(person), now);
        return true;
      }),
  };
}
