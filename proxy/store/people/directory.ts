import { DAY_MS } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type Actor, type AuditEvent, listAudit, record } from '../audit.ts';
import type { Database } from '../database.ts';
import type { AuditEntry, Person, Role } from '../row-types.ts';
import { insert, remove, update } from '../statements.ts';
import { clearFactor, Factors } from './factors.ts';
import { Links } from './links.ts';
import {
  endSessions,
  listTeamPeople,
  lockPerson,
  lockTeamAndPerson,
  selectPeople,
  spendLinks,
  toPerson,
} from './person-queries.ts';
import { auditActor, checkNotLast, rolesIn } from './person-rules.ts';
import { Sessions } from './sessions.ts';

/** A person, with the secrets against which sign-in is checked. */
export interface Credentials {
  person: Person;
  passwordHash: string;
  /** Secret of two-step sign-in in base 32; null if it is off. */
  factorSecret: string | null;
}

/** How long the record is kept that a notice was mailed. */
const NOTICE_KEPT_MS = 400 * DAY_MS;

/**
 * People, with their sessions, links and second factors, and the audit log. Tokens arrive as SHA-256 hashes and are
 * stored only as such. Each method is atomic; those that change what someone may do also record it in the audit log.
 * Nothing is cached.
 */
export class Directory {
  readonly sessions: Sessions;
  readonly links: Links;
  readonly factors: Factors;
  readonly #database: Database;

  constructor(database: Database) {
    this.sessions = new Sessions(database);
    this.links = new Links(database);
    this.factors = new Factors(database);
    this.#database = database;
  }

  credentialsByEmail(email: string): Promise<Credentials | null> {
    return this.#findCredentials('email', email);
  }

  credentialsById(id: string): Promise<Credentials | null> {
    return this.#findCredentials('id', id);
  }

  async #findCredentials(column: 'email' | 'id', value: string): Promise<Credentials | null> {
    const row = await selectPeople(this.#database.db).where(column, '=', value).executeTakeFirst();
    return row ? { person: toPerson(row), passwordHash: row.password_hash, factorSecret: row.factor_secret } : null;
  }

  /** The people of an account, or of the service team if null, except those removed. */
  listPeople(accountId: string | null): Promise<Person[]> {
    return listTeamPeople(this.#database.db, accountId);
  }

  /** The names of people, even of removed ones; an unknown id is its own name. */
  async personNames(ids: readonly string[]): Promise<Map<string, string>> {
    const query = this.#database.db.selectFrom('people').select(['id', 'name']).where('id', 'in', ids);
    const names = new Map((ids.length > 0 ? await query.execute() : []).map(({ id, name }) => [id, name]));
    return new Map(ids.map((id) => [id, names.get(id) ?? id]));
  }

  changeRole(id: string, role: Role, now: number, actor: Actor): Promise<void> {
    return this.#database.transact(async (tx) => {
      const { person, account } = await lockTeamAndPerson(this.#database, tx, id);
      if (person.role === role) return;
      if (!rolesIn(account).includes(role)) throw new UsageError('this account has no such role');
      checkNotLast(person, await listTeamPeople(tx, person.account_id), 'change this role');
      await update(tx, 'people', { id }, { role });
      const event = { accountId: person.account_id, subject: person.email, detail: `${person.role} to ${role}` };
      await record(tx, { action: 'person.role', ...event }, actor, now);
    });
  }

  /** For good; ends sessions and links. @throws UsageError for the last administrator or service-team person. */
  removePerson(id: string, now: number, actor: Actor): Promise<void> {
    return this.#database.transact(async (tx) => {
      const { person } = await lockTeamAndPerson(this.#database, tx, id);
      checkNotLast(person, await listTeamPeople(tx, person.account_id), 'remove this one');
      // Recorded first, since people may remove themselves, and removed people may do nothing.
      const event = { accountId: person.account_id, subject: person.email };
      await record(tx, { action: 'person.remove', ...event }, actor, now);
      await update(tx, 'people', { id }, { removed_at: now, password_hash: '' });
      await clearFactor(tx, id);
      await endSessions(tx, id);
      await spendLinks(tx, id, now);
      await remove(tx, 'browsers', { person_id: id });
    });
  }

  /**
   * Ends all sessions of the person with `session`, and opens one under a new token. False if `session` has ended
   * since the old password was checked: whatever ended it, such as a reset, takes precedence.
   */
  changePassword(sessionHash: Buffer, passwordHash: string, newSessionHash: Buffer, now: number): Promise<boolean> {
    return this.#database.transact(async (tx) => {
      const signedIn = tx.selectFrom('sessions').where('hash', '=', sessionHash).where('factor_due', '=', false);
      const query = signedIn.select(['person_id', 'confirmed_at']);
      const owner = await query.executeTakeFirst();
      const person = owner ? await lockPerson(tx, owner.person_id) : null;
      // Checked again, now that nobody else can end this person's sessions.
      const session = person && (await query.executeTakeFirst());
      if (!session) return false;
      const { id, account_id } = person;
      await update(tx, 'people', { id }, { password_hash: passwordHash });
      await endSessions(tx, id);
      // A password is no code: the new session is confirmed only as the old one was.
      const times = { created_at: now, seen_at: now, confirmed_at: session.confirmed_at };
      await insert(tx, 'sessions', { hash: newSessionHash, person_id: id, factor_due: false, ...times });
      await spendLinks(tx, id, now);
      await record(tx, { action: 'password.change', accountId: account_id }, auditActor(person), now);
      return true;
    });
  }

  /** Records that `notice` is being mailed. False if it was recorded before: of several dashboards one gets true. */
  markNoticeSent(notice: string, now: number): Promise<boolean> {
    return this.#database.transact(async (tx) => {
      const oldestKept = Math.floor(now - NOTICE_KEPT_MS);
      await tx.deleteFrom('notices').where('at', '<', oldestKept).execute();
      const insertion = tx.insertInto('notices').values({ what: notice, at: Math.floor(now) });
      const result = await insertion
        .onConflict((conflict) => conflict.column('what').doNothing())
        .executeTakeFirstOrThrow();
      return result.numInsertedOrUpdatedRows === 1n;
    });
  }

  async unmarkNoticeSent(notice: string): Promise<void> {
    await this.#database.transact((tx) => remove(tx, 'notices', { what: notice }));
  }

  /** Records an event that changed nothing in the directory. */
  record(event: AuditEvent, actor: Actor, now: number): Promise<void> {
    return this.#database.transact((tx) => record(tx, event, actor, now));
  }

  /** The same for events that strangers can cause, which must cost the API little. */
  recordUnsynced(event: AuditEvent, actor: Actor, now: number): Promise<void> {
    return this.#database.transactUnsynced((tx) => record(tx, event, actor, now));
  }

  listAudit(selection: Parameters<typeof listAudit>[1]): Promise<AuditEntry[]> {
    return listAudit(this.#database.db, selection);
  }
}
