import type { Postgres, Query } from '../postgres.ts';
import { UsageError } from '../usage-error.ts';
import { actorOf, checkNotLast, type Person, rolesIn } from './people.ts';
import { listAudit, record } from './postgres-audit.ts';
import { postgresLinks } from './postgres-links.ts';
import {
  endSessions,
  holdPerson,
  holdPersonInPlace,
  PERSON,
  peopleOf,
  present,
  spendLinksOf,
} from './postgres-rows.ts';
import { postgresSessions } from './postgres-sessions.ts';
import type { Credentials, Directory } from './store.ts';

type CredentialsRow = Person & { password_hash: string; factor_secret: string | null };

function toCredentials(row: CredentialsRow | undefined): Credentials | null {
  if (!row) return null;
  const { password_hash: passwordHash, factor_secret: factorSecret, ...person } = row;
  return { person, passwordHash, factorSecret };
}

/** The people of the store in `db`, for the dashboards of any number of proxies. Nothing is held in memory. */
export function openPostgresDirectory(db: Postgres): Directory {
  const credentialsWhere = async (condition: string, value: string) =>
    toCredentials(
      (
        await db.query<CredentialsRow>(
          `SELECT ${PERSON}, password_hash, factor_secret FROM people WHERE ${condition} AND removed_at IS NULL`,
          [value],
        )
      )[0],
    );

  return {
    ...postgresSessions(db),
    ...postgresLinks(db),
    credentials: (email) => credentialsWhere('email = $1', email),
    credentialsById: (id) => credentialsWhere('id = $1', id),
    listPeople: (accountId) => peopleOf(db.query, accountId),
    async namesOf(ids) {
      const rows = await db.query<Person>('SELECT id, name FROM people WHERE id = ANY ($1)', [ids]);
      const names = new Map(rows.map(({ id, name }) => [id, name]));
      return new Map(ids.map((id) => [id, names.get(id) ?? id]));
    },
    changeRole: (id, role, now, by) =>
      db.transact(async (query) => {
        const { person, account } = await holdPersonInPlace(query, id);
        if (person.role === role) return;
        if (!rolesIn(account).includes(role)) throw new UsageError('no such role here');
        checkNotLast(person, await peopleOf(query, person.account_id), 'change this role');
        await query('UPDATE people SET role = $2 WHERE id = $1', [id, role]);
        const deed = { account: person.account_id, subject: person.email, detail: `${person.role} to ${role}` };
        await record(query, { action: 'person.role', ...deed }, by, now);
      }),
    removePerson: (id, now, by) =>
      db.transact(async (query) => {
        const { person } = await holdPersonInPlace(query, id);
        checkNotLast(person, await peopleOf(query, person.account_id), 'remove this one');
        // First, since people may remove themselves, and those removed do nothing.
        const deed = { account: person.account_id, subject: person.email };
        await record(query, { action: 'person.remove', ...deed }, by, now);
        await query("UPDATE people SET removed_at = $2, password_hash = '' WHERE id = $1", [id, now]);
        await clearFactor(query, id);
        await endSessions(query, id);
        await spendLinksOf(query, id, now);
        await query('DELETE FROM browsers WHERE person_id = $1', [id]);
      }),

    async spendStep(id, step) {
      const spent = await db.query(
        `UPDATE people SET factor_step = $2 WHERE id = $1 AND factor_step < $2 AND factor_secret IS NOT NULL
         RETURNING 1`,
        [id, step],
      );
      return spent.length === 1;
    },
    spendRecoveryCode: (id, hash, now) =>
      db.transact(async (query) => {
        const person = await holdPerson(query, id);
        if (!person) return false;
        const spent = await query('DELETE FROM recovery_codes WHERE person_id = $1 AND hash = $2 RETURNING 1', [
          id,
          hash,
        ]);
        if (spent.length !== 1) return false;
        const [left] = await query<{ n: number }>('SELECT count(*) AS n FROM recovery_codes WHERE person_id = $1', [
          id,
        ]);
        const deed = { account: person.account_id, detail: `${left!.n} left` };
        await record(query, { action: 'factor.recovery', ...deed }, actorOf(person), now);
        return true;
      }),
    turnFactorOn: (id, { secret, step, recovery }, now) =>
      db.transact(async (query) => {
        const person = present(await holdPerson(query, id));
        await clearFactor(query, id);
        await query('UPDATE people SET factor_secret = $2, factor_step = $3 WHERE id = $1', [id, secret, step]);
        await query('INSERT INTO recovery_codes SELECT $1, unnest($2::bytea[])', [id, recovery]);
        await record(query, { action: 'factor.on', account: person.account_id }, actorOf(person), now);
      }),
    turnFactorOff: (id, now, by) =>
      db.transact(async (query) => {
        const { person } = await holdPersonInPlace(query, id);
        if (!person.has_factor) return;
        await clearFactor(query, id);
        const action = by.id === id ? 'factor.off' : 'factor.drop';
        const subject = by.id === id ? '' : person.email;
        await record(query, { action, account: person.account_id, subject }, by, now);
      }),

    enter: (deed, by, now) => db.transact((query) => record(query, deed, by, now)),
    listAudit: (asked) => listAudit(db.query, asked),
    // The database is the store's, which closes it.
    close() {},
  };
}

async function clearFactor(query: Query, personId: string): Promise<void> {
  await query('UPDATE people SET factor_secret = NULL WHERE id = $1', [personId]);
  await query('DELETE FROM recovery_codes WHERE person_id = $1', [personId]);
}
