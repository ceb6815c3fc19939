/** The people who sign in to the dashboard. */

import { DAY_MS } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type Actor, type AuditEvent, listAudit, record } from '../audit.ts';
import type { Database, Db } from '../database.ts';
import type { Person, Role } from '../row-types.ts';
import { insert, remove, update } from '../statements.ts';
import { links } from './links.ts';
import {
  accountPeople,
  endSessions,
  lockPerson,
  lockTeamAndPerson,
  people,
  present,
  spendLinks,
  toPerson,
} from './person-queries.ts';
import { auditActor, checkNotLast, rolesIn } from './person-rules.ts';
import { sessions } from './sessions.ts';
import { lastPastStep } from './totp.ts';

/** A person, with the secrets against which sign-in is checked. */
export interface Credentials {
  person: Person;
  passwordHash: string;
  /** Secret of two-step sign-in in base 32; null if it is off. */
  factorSecret: string | null;
}

/**
 * People, their links, their sessions and the audit log. Tokens arrive as SHA-256 hashes and are stored only as such.
 * Each method is atomic; those that change what someone may do also record it in the audit log. Nothing is cached.
 */
export type Directory = ReturnType<typeof openDirectory>;

/** How long it is remembered that a notice was mailed. */
const NOTED_MS = 400 * DAY_MS;

export function openDirectory(database: Database) {
  const { db, transact, transactLightly } = database;
  const credentialsWhere = async (column: 'email' | 'id', value: string): Promise<Credentials | null> => {
    const row = await people(db).where(column, '=', value).executeTakeFirst();
    return row ? { person: toPerson(row), passwordHash: row.password_hash, factorSecret: row.factor_secret } : null;
  };

  return {
    ...sessions(database),
    ...links(database),
    credentials: (email: string) => credentialsWhere('email', email),
    credentialsById: (id: string) => credentialsWhere('id', id),
    /** The people of an account, or of the service team if null, except those removed. */
    listPeople: (accountId: string | null) => accountPeople(db, accountId),
    /** Names by id, including those of people since removed. */
    async personNames(ids: readonly string[]): Promise<Map<string, string>> {
      const found = db.selectFrom('people').select(['id', 'name']).where('id', 'in', ids);
      const names = new Map((ids.length > 0 ? await found.execute() : []).map(({ id, name }) => [id, name]));
      return new Map(ids.map((id) => [id, names.get(id) ?? id]));
    },
    changeRole: (id: string, role: Role, now: number, by: Actor) =>
      transact(async (tx) => {
        const { person, account } = await lockTeamAndPerson(database, tx, id);
        if (person.role === role) return;
        if (!rolesIn(account).includes(role)) throw new UsageError('this account has no such role');
        checkNotLast(person, await accountPeople(tx, person.account_id), 'change this role');
        await update(tx, 'people', { id }, { role });
        const event = { account: person.account_id, subject: person.email, detail: `${person.role} to ${role}` };
        await record(tx, { action: 'person.role', ...event }, by, now);
      }),
    /** For good; ends sessions and links. @throws UsageError for the last administrator or service-team person. */
    removePerson: (id: string, now: number, by: Actor) =>
      transact(async (tx) => {
        const { person } = await lockTeamAndPerson(database, tx, id);
        checkNotLast(person, await accountPeople(tx, person.account_id), 'remove this one');
        // Recorded first, since people may remove themselves, and removed people may do nothing.
        const event = { account: person.account_id, subject: person.email };
        await record(tx, { action: 'person.remove', ...event }, by, now);
        await update(tx, 'people', { id }, { removed_at: now, password_hash: '' });
        await clearFactor(tx, id);
        await endSessions(tx, id);
        await spendLinks(tx, id, now);
        await remove(tx, 'browsers', { person_id: id });
      }),

    /**
     * Uses up the time step of a code, and all before it; false if it was used up, or is null, as for a wrong code. Steps
     * that are past at `now` are used up in any case: a clock set back later must not make their codes valid again.
     */
    spendStep: (id: string, step: number | null, now: number): Promise<boolean> =>
      transact(async (tx) => {
        const found = people(tx).where('id', '=', id).where('factor_secret', 'is not', null);
        const row = await found.forNoKeyUpdate().executeTakeFirst();
        if (!row) return false;
        const isFirst = step !== null && step > row.factor_step;
        const factor_step = Math.max(row.factor_step, isFirst ? step : lastPastStep(now));
        await update(tx, 'people', { id }, { factor_step });
        return isFirst;
      }),
    spendRecoveryCode: (id: string, hash: Buffer, now: number): Promise<boolean> =>
      transact(async (tx) => {
        const person = await lockPerson(tx, id);
        if (!person) return false;
        if ((await remove(tx, 'recovery_codes', { person_id: id, hash })) === 0) return false;
        const left = await tx.selectFrom('recovery_codes').select('hash').where('person_id', '=', id).execute();
        const event = { account: person.account_id, detail: `${left.length} left` };
        await record(tx, { action: 'factor.recovery', ...event }, auditActor(person), now);
        return true;
      }),
    /** How many recovery codes the person has left. */
    recoveryCodesLeft: async (id: string): Promise<number> =>
      (await db.selectFrom('recovery_codes').select('hash').where('person_id', '=', id).execute()).length,
    /** Replaces all recovery codes; false if two-step sign-in has been turned off meanwhile. */
    replaceRecoveryCodes: (id: string, recovery: readonly Buffer[], now: number): Promise<boolean> =>
      transact(async (tx) => {
        const person = present(await lockPerson(tx, id));
        if (!person.has_factor) return false;
        await remove(tx, 'recovery_codes', { person_id: id });
        await addRecoveryCodes(tx, id, recovery);
        await record(tx, { action: 'factor.codes', account: person.account_id }, auditActor(person), now);
        return true;
      }),
    /** False if it is already on: of two concurrent calls, perhaps by the owner and a thief, the first one wins. */
    turnFactorOn: (id: string, factor: { secret: string; step: number; recovery: readonly Buffer[] }, now: number) =>
      transact(async (tx) => {
        const person = present(await lockPerson(tx, id));
        if (person.has_factor) return false;
        const { secret: factor_secret, step: factor_step, recovery } = factor;
        await update(tx, 'people', { id }, { factor_secret, factor_step });
        await addRecoveryCodes(tx, id, recovery);
        await record(tx, { action: 'factor.on', account: person.account_id }, auditActor(person), now);
        return true;
      }),
    turnFactorOff: (id: string, now: number, by: Actor) =>
      transact(async (tx) => {
        const { person } = await lockTeamAndPerson(database, tx, id);
        if (!person.has_factor) return;
        await clearFactor(tx, id);
        const action = by.id === id ? 'factor.off' : 'factor.drop';
        const subject = by.id === id ? '' : person.email;
        await record(tx, { action, account: person.account_id, subject }, by, now);
      }),

    /** Whether `what` is noted for the first time: of several dashboards, one gets true. Old notes are deleted. */
    noteOnce: (what: string, now: number): Promise<boolean> =>
      transact(async (tx) => {
        await tx
          .deleteFrom('notices')
          .where('at', '<', Math.floor(now - NOTED_MS))
          .execute();
        const row = tx.insertInto('notices').values({ what, at: Math.floor(now) });
        const made = await row.onConflict((known) => known.column('what').doNothing()).executeTakeFirstOrThrow();
        return made.numInsertedOrUpdatedRows === 1n;
      }),
    unnote: (what: string) => transact((tx) => remove(tx, 'notices', { what })),

    /** Records an event that changed nothing in the directory. */
    record: (event: AuditEvent, by: Actor, now: number) => transact((tx) => record(tx, event, by, now)),
    /** The same for events that strangers can cause, which must cost the API little. */
    recordLightly: (event: AuditEvent, by: Actor, now: number) => transactLightly((tx) => record(tx, event, by, now)),
    listAudit: (selection: Parameters<typeof listAudit>[1]) => listAudit(db, selection),
  };
}

async function addRecoveryCodes(tx: Db, personId: string, hashes: readonly Buffer[]): Promise<void> {
  const codes = hashes.map((hash) => ({ person_id: personId, hash }));
  if (codes.length > 0) await insert(tx, 'recovery_codes', codes);
}

async function clearFactor(tx: Db, personId: string): Promise<void> {
  await update(tx, 'people', { id: personId }, { factor_secret: null });
  await remove(tx, 'recovery_codes', { person_id: personId });
}
