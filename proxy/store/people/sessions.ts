/** Sessions, and the browsers that people have signed in with. */
import { requireAccount } from '../account-queries.ts';
import type { Database } from '../database.ts';
import type { Account, Person, TableRows } from '../row-types.ts';
import { deleteExpired, insert, remove, update } from '../statements.ts';
import { endSessions, lockPerson, selectPeople, toPerson } from './person-queries.ts';
import { BROWSER_REMEMBERED_MS, isSessionAlive, maySignIn, SEEN_LAG_MS, SESSION_MS } from './person-rules.ts';

/** The owner of a session; `account` is null for the service team. */
export interface Visitor {
  person: Person;
  account: Account | null;
  /** Whether the code of two-step sign-in is still to be given. */
  factorDue: boolean;
  /** When they last gave the password, or a code if they use two-step sign-in, in this session. */
  confirmedAt: number;
}

export class Sessions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Opens a session after the right password was given. False if the person's hash is no longer `passwordHash`,
   * against which the password was checked, or two-step sign-in was turned on or off since: a sign-in overtaken by a
   * reset, a removal, a suspension or such a change leaves no session behind.
   */
  async open(
    hash: Buffer,
    { id, passwordHash, factorDue }: { id: string; passwordHash: string; factorDue: boolean },
    now: number,
  ): Promise<boolean> {
    // In a transaction of its own, so that nobody waits for it.
    await deleteExpired(this.#database.db, 'sessions', ['hash'], 'created_at', now - SESSION_MS);
    return this.#database.transact(async (tx) => {
      const membership = await tx.selectFrom('people').select('account_id').where('id', '=', id).executeTakeFirst();
      if (!membership) return false;
      // Both are locked: whatever would end the session at this moment waits, and then does end it.
      const account = await requireAccount(tx, membership.account_id, 'share');
      const row = await selectPeople(tx).where('id', '=', id).forShare().executeTakeFirst();
      const isUnchanged = row?.password_hash === passwordHash && (row.factor_secret !== null) === factorDue;
      if (!isUnchanged || !maySignIn(account)) return false;
      const times = { created_at: now, seen_at: now, confirmed_at: now };
      await insert(tx, 'sessions', { hash, person_id: id, factor_due: factorDue, ...times });
      return true;
    });
  }

  /** Completes a session whose code was due, under a new token. False if it has ended. */
  complete(dueHash: Buffer, hash: Buffer, now: number): Promise<boolean> {
    const signedIn = { hash, factor_due: false, created_at: now, seen_at: now, confirmed_at: now };
    return this.#update({ hash: dueHash, factor_due: true }, signedIn);
  }

  /** Records that the password or a code was given again. False if the session has ended. */
  confirm(hash: Buffer, now: number): Promise<boolean> {
    return this.#update({ hash, factor_due: false }, { confirmed_at: now });
  }

  async #update(where: Partial<TableRows['sessions']>, values: Partial<TableRows['sessions']>): Promise<boolean> {
    return (await this.#database.transact((tx) => update(tx, 'sessions', where, values))) === 1;
  }

  /** The owner of a session if it is alive at `now` and the account may sign in; marks the session as seen. */
  async findVisitor(hash: Buffer, now: number): Promise<Visitor | null> {
    const { db, transactUnsynced } = this.#database;
    const session = selectPeople(db).innerJoin('sessions', 'person_id', 'id').where('hash', '=', hash);
    const times = ['factor_due', 'sessions.created_at as since', 'seen_at', 'confirmed_at'] as const;
    const row = await session.select(times).executeTakeFirst();
    if (!row) return null;
    const [factorDue, { since, seen_at }] = [Boolean(row.factor_due), row];
    if (!isSessionAlive({ factor_due: factorDue, created_at: since, seen_at }, now)) return null;
    const account = await requireAccount(db, row.account_id);
    if (!maySignIn(account)) return null;
    // Only if no other page of theirs has just updated it.
    const unseenSince = { hash, seen_at };
    if (now - seen_at >= SEEN_LAG_MS)
      await transactUnsynced((tx) => update(tx, 'sessions', unseenSince, { seen_at: now }));
    return { person: toPerson(row), account, factorDue, confirmedAt: row.confirmed_at };
  }

  async close(hash: Buffer): Promise<void> {
    await this.#database.transact((tx) => remove(tx, 'sessions', { hash }));
  }

  closeOthers(personId: string, keptSession: Buffer): Promise<void> {
    return this.#database.transact(async (tx) => {
      await lockPerson(tx, personId);
      await endSessions(tx, personId, keptSession);
    });
  }

  async rememberBrowser(hash: Buffer, personId: string, now: number): Promise<void> {
    const { db, transactUnsynced } = this.#database;
    await deleteExpired(db, 'browsers', ['hash', 'person_id'], 'seen_at', now - BROWSER_REMEMBERED_MS);
    await transactUnsynced(async (tx) => {
      // Locked, since removing the person meanwhile must leave no browser behind.
      if (!(await lockPerson(tx, personId))) return;
      const browser = { hash, person_id: personId };
      const isKnown = (await update(tx, 'browsers', browser, { seen_at: now })) === 1;
      if (!isKnown) await insert(tx, 'browsers', { ...browser, seen_at: now });
    });
  }

  async knowsBrowser(hash: Buffer, personId: string, now: number): Promise<boolean> {
    const query = this.#database.db.selectFrom('browsers').select('seen_at');
    const browser = query.where('hash', '=', hash).where('person_id', '=', personId);
    const { seen_at = null } = (await browser.executeTakeFirst()) ?? {};
    return seen_at !== null && now - seen_at < BROWSER_REMEMBERED_MS;
  }
}
