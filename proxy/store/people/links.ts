/** Links that work once, for joining or for choosing a new password. */
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { requireAccount } from '../account-queries.ts';
import { accountStatus } from '../account-rules.ts';
import { type Actor, record } from '../audit.ts';
import type { Database, DbOrTx } from '../database.ts';
import { randomText } from '../key-format.ts';
import type { Invitation, Person, Role, TableRows } from '../row-types.ts';
import { deleteExpired, insert, update } from '../statements.ts';
import {
  checkPresent,
  endSessions,
  listTeamPeople,
  lockPerson,
  lockTeam,
  selectPeople,
  spendLinks,
  toPerson,
} from './person-queries.ts';
import {
  auditActor,
  checkEmail,
  checkMayInvite,
  checkPersonName,
  INVITATION_LINK_MS,
  RESET_LINK_MS,
} from './person-rules.ts';

/** The purpose of a valid link: an invitation, or a new password for a person. */
export type Link = { invitation: Invitation; person: null } | { invitation: null; person: Person };

function toInvitation({ hash, purpose, person_id, used_at, role, ...row }: TableRows['links']): Invitation {
  return { ...row, role: role! };
}

/** A link that is valid at `now`. It is not locked: `spendLink` finds out whether it is still valid. */
const findValidLink = (db: DbOrTx, hash: Buffer, now: number) => {
  const unused = db.selectFrom('links').selectAll().where('hash', '=', hash).where('used_at', 'is', null);
  return unused.where('expires_at', '>', now).executeTakeFirst();
};

/** Uses a link up. False if it was already used or replaced; of several concurrent calls, one gets true. */
const spendLink = async (tx: DbOrTx, hash: Buffer, now: number): Promise<boolean> =>
  (await update(tx, 'links', { hash, used_at: null }, { used_at: now })) === 1;

/** Selects the open invitations to an account, or to the service team if null. */
const openInvitations = (accountId: string | null) =>
  ({ purpose: 'invitation', account_id: accountId, used_at: null }) as const;

export class Links {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Replaces an earlier invitation of the same address to the same account. */
  async invite(
    { email, role, accountId, hash }: { email: string; role: Role; accountId: string | null; hash: Buffer },
    now: number,
    actor: Actor,
  ): Promise<Invitation> {
    const checkedEmail = checkEmail(email);
    return this.#database.transact(async (tx) => {
      const account = await lockTeam(this.#database, tx, accountId);
      checkMayInvite(checkedEmail, role, account, await listTeamPeople(tx, accountId));
      await update(tx, 'links', { ...openInvitations(accountId), email: checkedEmail }, { used_at: now });
      const id = `inv_${randomText(12)}`;
      const times = { created_at: now, expires_at: now + INVITATION_LINK_MS };
      const invitation = { id, email: checkedEmail, role, account_id: accountId, ...times };
      await insert(tx, 'links', { ...invitation, purpose: 'invitation', hash });
      await record(tx, { action: 'person.invite', accountId, subject: checkedEmail, detail: role }, actor, now);
      return invitation;
    });
  }

  async listInvitations(accountId: string | null, now: number): Promise<Invitation[]> {
    const links = this.#database.db.selectFrom('links').selectAll().where('expires_at', '>', now);
    const query = links.where(({ and }) => and(openInvitations(accountId))).orderBy('created_at');
    return (await query.orderBy('email', (order) => order.collate('C')).execute()).map(toInvitation);
  }

  /** Withdraws an invitation if it is to `accountId` (null for the service team). */
  withdrawInvitation(id: string, accountId: string | null, now: number, actor: Actor): Promise<void> {
    return this.#database.transact(async (tx) => {
      await lockTeam(this.#database, tx, accountId);
      const link = await tx.selectFrom('links').select('email').where('id', '=', id).executeTakeFirst();
      const isOpen = (await update(tx, 'links', { ...openInvitations(accountId), id }, { used_at: now })) === 1;
      if (!isOpen) throw new UsageError('this invitation is no longer open');
      await record(tx, { action: 'person.uninvite', accountId, subject: link!.email }, actor, now);
    });
  }

  /**
   * Creates a link for a new password; `actor` is null if the person requested it. If `personId` is null, a link that
   * opens nothing is written all the same: the time it takes must not reveal who has an account.
   */
  async createReset(personId: string | null, hash: Buffer, now: number, actor: Actor | null): Promise<void> {
    const { transact, transactUnsynced } = this.#database;
    // In a transaction of its own, so that nobody waits for it.
    await transactUnsynced((tx) => deleteExpired(tx, 'links', ['id'], 'expires_at', now, { purpose: 'reset' }));
    // Anyone can request one, so it must cost the API little; one lost in a power cut can be requested again.
    const transactReset = actor === null ? transactUnsynced : transact;
    await transactReset(async (tx) => {
      const person = personId === null ? null : checkPresent(await lockPerson(tx, personId));
      await spendLinks(tx, personId, now);
      const times = { created_at: now, expires_at: now + RESET_LINK_MS };
      const row = { id: `res_${randomText(12)}`, hash, person_id: personId, email: person?.email ?? '', ...times };
      await insert(tx, 'links', { ...row, purpose: 'reset' });
      if (!actor || !person) return;
      await record(tx, { action: 'password.link', accountId: person.account_id, subject: person.email }, actor, now);
    });
  }

  async findLink(hash: Buffer, now: number): Promise<Link | null> {
    const { db } = this.#database;
    const row = await findValidLink(db, hash, now);
    if (!row) return null;
    if (row.purpose === 'invitation') {
      const account = await requireAccount(db, row.account_id);
      const isAccountRemoved = account && accountStatus(account) === 'removed';
      return isAccountRemoved ? null : { invitation: toInvitation(row), person: null };
    }
    const query = selectPeople(db).where('id', '=', row.person_id ?? '');
    const person = await query.executeTakeFirst();
    return person ? { invitation: null, person: toPerson(person) } : null;
  }

  /** Uses the link up and creates the person. Null if it is no longer valid, as for the later of two calls. */
  async acceptInvitation(hash: Buffer, name: string, passwordHash: string, now: number): Promise<Person | null> {
    const checkedName = checkPersonName(name);
    return this.#database.transact(async (tx) => {
      const link = await findValidLink(tx, hash, now);
      if (link?.purpose !== 'invitation') return null;
      const { email, role, account_id } = toInvitation(link);
      const account = await lockTeam(this.#database, tx, account_id);
      if (account && accountStatus(account) === 'removed') return null;
      if (role === 'researcher' && (await listTeamPeople(tx, account_id)).length > 0) return null;
      if (!(await spendLink(tx, hash, now))) return null;
      const id = `per_${randomText(12)}`;
      const row = { id, email, name: checkedName, role, account_id, password_hash: passwordHash, created_at: now };
      const insertion = tx.insertInto('people').values(row).returningAll();
      const insertedRow = await insertion
        .onConflict((conflict) => conflict.column('email').where('removed_at', 'is', null).doNothing())
        .executeTakeFirst();
      // Rolls everything back: the link stays valid.
      if (!insertedRow)
        throw new UsageError(`${email} already has an account here; an address can belong to one account only`);
      const person = toPerson(insertedRow);
      await record(tx, { action: 'person.join', accountId: account_id, detail: role }, auditActor(person), now);
      return person;
    });
  }

  /** Uses up this link and all others of the person, and ends all their sessions. */
  resetPassword(hash: Buffer, passwordHash: string, now: number): Promise<Person | null> {
    return this.#database.transact(async (tx) => {
      const row = await findValidLink(tx, hash, now);
      if (row?.purpose !== 'reset') return null;
      const person = await lockPerson(tx, row.person_id);
      if (!person || !(await spendLink(tx, hash, now))) return null;
      await spendLinks(tx, person.id, now);
      await update(tx, 'people', { id: person.id }, { password_hash: passwordHash });
      await endSessions(tx, person.id);
      await record(tx, { action: 'password.reset', accountId: person.account_id }, auditActor(person), now);
      return person;
    });
  }
}
