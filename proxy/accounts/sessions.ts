/** Sessions, and the browsers that people have signed in with. */
import type { Account } from './accounts.ts';
import type { Database } from './database.ts';
import { accountOf, endSessions, holdPerson, people, toPerson } from './holding.ts';
import { BROWSER_MS, isSessionAlive, mayVisit, type Person, SEEN_MS, SESSION_MS } from './people.ts';
import { insert, remove, sweep, update } from './rows.ts';

/** Whoever a session belongs to; `account` null for the service team. */
export interface Visitor {
  person: Person;
  account: Account | null;
  /** The password was right and the second factor's code is still to come. */
  factorDue: boolean;
}

export function sessions({ db, transact, transactLightly }: Database) {
  return {
    /**
     * Opens a session for whoever gave the right password. False where `passwordHash`, which it was checked against, is no
     * longer the person's, or the second factor was turned on or off since: no session is left behind by a sign-in that a
     * reset, removal, suspension or second factor has overtaken.
     */
    async openSession(
      hash: Buffer,
      { id, passwordHash, factorDue }: { id: string; passwordHash: string; factorDue: boolean },
      now: number,
    ): Promise<boolean> {
      // By itself, so that nobody waits for it.
      await sweep(db, 'sessions', ['hash'], 'created_at', now - SESSION_MS);
      return transact(async (tx) => {
        const known = await tx.selectFrom('people').select('account_id').where('id', '=', id).executeTakeFirst();
        if (!known) return false;
        // Both held against what would end the session at this very moment, and does so once it is there.
        const account = await accountOf(tx, known.account_id, 'share');
        const row = await people(tx).where('id', '=', id).forShare().executeTakeFirst();
        const isSame = row?.password_hash === passwordHash && (row.factor_secret !== null) === factorDue;
        if (!isSame || !mayVisit(account)) return false;
        await insert(tx, 'sessions', { hash, person_id: id, factor_due: factorDue, created_at: now, seen_at: now });
        return true;
      });
    },
    /** Puts a session whose second factor was due under a new token, entered in full. False where it has ended. */
    async completeSession(due: Buffer, hash: Buffer, now: number): Promise<boolean> {
      const entered = { hash, factor_due: false, created_at: now, seen_at: now };
      return (await update(db, 'sessions', { hash: due, factor_due: true }, entered)) === 1;
    },
    /** Who holds a session that is alive at `now`, whose person and account may visit; counts as seen. */
    async visitor(hash: Buffer, now: number): Promise<Visitor | null> {
      const session = people(db).innerJoin('sessions', 'person_id', 'id').where('hash', '=', hash);
      const row = await session.select(['factor_due', 'sessions.created_at as since', 'seen_at']).executeTakeFirst();
      if (!row) return null;
      const [factorDue, { since, seen_at }] = [Boolean(row.factor_due), row];
      if (!isSessionAlive({ factor_due: factorDue, created_at: since, seen_at }, now)) return null;
      const account = await accountOf(db, row.account_id);
      if (!mayVisit(account)) return null;
      // One that another page of theirs has just noted stays as it is.
      const noted = { hash, seen_at };
      if (now - seen_at >= SEEN_MS) await transactLightly((tx) => update(tx, 'sessions', noted, { seen_at: now }));
      return { person: toPerson(row), account, factorDue };
    },
    async closeSession(hash: Buffer): Promise<void> {
      await remove(db, 'sessions', { hash });
    },
    closeOtherSessions: (personId: string, kept: Buffer) =>
      transact(async (tx) => {
        await holdPerson(tx, personId);
        await endSessions(tx, personId, kept);
      }),
    async rememberBrowser(hash: Buffer, personId: string, now: number): Promise<void> {
      await sweep(db, 'browsers', ['hash', 'person_id'], 'seen_at', now - BROWSER_MS);
      await transactLightly(async (tx) => {
        // Held against their removal, which leaves no browser behind.
        if (!(await holdPerson(tx, personId))) return;
        const browser = { hash, person_id: personId };
        const isKnown = (await update(tx, 'browsers', browser, { seen_at: now })) === 1;
        if (!isKnown) await insert(tx, 'browsers', { ...browser, seen_at: now });
      });
    },
    async knowsBrowser(hash: Buffer, personId: string, now: number): Promise<boolean> {
      const browser = db.selectFrom('browsers').select('seen_at').where('hash', '=', hash);
      const found = await browser.where('person_id', '=', personId).executeTakeFirst();
      return found !== undefined && now - found.seen_at < BROWSER_MS;
    },
  };
}
