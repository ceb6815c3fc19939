/** Sessions, and the browsers that people have signed in with. */
import type { Account } from './accounts.ts';
import type { Database } from './database.ts';
import { accountOf, endSessions, holdPerson, people, toPerson } from './holding.ts';
import { BROWSER_MS, isSessionAlive, mayVisit, type Person, SEEN_MS, SESSION_MS, SWEPT_AT_ONCE } from './people.ts';

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
      // By itself, and past what others are at, so that nobody waits for it.
      await transactLightly(async (tx) => {
        const old = tx
          .selectFrom('sessions')
          .select('hash')
          .where('created_at', '<=', now - SESSION_MS);
        const some = old.limit(SWEPT_AT_ONCE).forUpdate().skipLocked();
        await tx.deleteFrom('sessions').where('hash', 'in', some).execute();
      });
      return transact(async (tx) => {
        const known = await tx.selectFrom('people').select('account_id').where('id', '=', id).executeTakeFirst();
        if (!known) return false;
        // Both held against what would end the session at this very moment, and does so once it is there.
        const account = await accountOf(tx, known.account_id, 'share');
        const row = await people(tx).where('id', '=', id).forShare().executeTakeFirst();
        if (row?.password_hash !== passwordHash || (row.factor_secret !== null) !== factorDue || !mayVisit(account))
          return false;
        const times = { created_at: now, seen_at: now };
        await tx
          .insertInto('sessions')
          .values({ hash, person_id: id, factor_due: factorDue, ...times })
          .execute();
        return true;
      });
    },
    /** Puts a session whose second factor was due under a new token, entered in full. False where it has ended. */
    async completeSession(due: Buffer, hash: Buffer, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('sessions')
        .set({ hash, factor_due: false, created_at: now, seen_at: now })
        .where('hash', '=', due)
        .where('factor_due', '=', true)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    /** Who holds a session that is alive at `now`, whose person and account may visit; counts as seen. */
    async visitor(hash: Buffer, now: number): Promise<Visitor | null> {
      const row = await people(db)
        .innerJoin('sessions', 'person_id', 'id')
        .select(['factor_due', 'sessions.created_at as opened_at', 'seen_at'])
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (!row) return null;
      const [factorDue, { opened_at: created_at, seen_at }] = [Boolean(row.factor_due), row];
      if (!isSessionAlive({ factor_due: factorDue, created_at, seen_at }, now)) return null;
      const account = await accountOf(db, row.account_id);
      if (!mayVisit(account)) return null;
      if (now - seen_at >= SEEN_MS) {
        await transactLightly((tx) =>
          tx
            .updateTable('sessions')
            .set({ seen_at: now })
            .where('hash', '=', hash)
            .where('seen_at', '<', now)
            .execute(),
        );
      }
      return { person: toPerson(row), account, factorDue };
    },
    async closeSession(hash: Buffer): Promise<void> {
      await db.deleteFrom('sessions').where('hash', '=', hash).execute();
    },
    closeOtherSessions: (personId: string, kept: Buffer) =>
      transact(async (tx) => {
        await holdPerson(tx, personId);
        await endSessions(tx, personId, kept);
      }),
    async rememberBrowser(hash: Buffer, personId: string, now: number): Promise<void> {
      await transactLightly(async (tx) => {
        const old = tx
          .selectFrom('browsers')
          .select(['hash', 'person_id'])
          .where('seen_at', '<=', now - BROWSER_MS);
        const some = old.limit(SWEPT_AT_ONCE).forUpdate().skipLocked().$asTuple('hash', 'person_id');
        await tx
          .deleteFrom('browsers')
          .where(({ eb, refTuple }) => eb(refTuple('hash', 'person_id'), 'in', some))
          .execute();
      });
      await transactLightly(async (tx) => {
        // Held against their removal, which leaves no browser behind.
        if (!(await holdPerson(tx, personId))) return;
        await tx
          .insertInto('browsers')
          .values({ hash, person_id: personId, seen_at: now })
          .onConflict((conflict) => conflict.columns(['hash', 'person_id']).doUpdateSet({ seen_at: now }))
          .execute();
      });
    },
    async knowsBrowser(hash: Buffer, personId: string, now: number): Promise<boolean> {
      const found = await db
        .selectFrom('browsers')
        .select('seen_at')
        .where('hash', '=', hash)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      return found !== undefined && now - found.seen_at < BROWSER_MS;
    },
  };
}
