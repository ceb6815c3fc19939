/**
 * What several of the steps on people in PostgreSQL begin with. A transaction that changes something holds first the
 * place (an account, or the service team), where it holds one, then a person, then all else: in this one order nobody
 * waits for each other in a circle. All are held by FOR NO KEY UPDATE, here and by the store of accounts: PostgreSQL itself
 * checks references to them when it sees fit, by FOR KEY SHARE, which is to wait for none of these.
 */
import type { Account } from '../keys/accounts.ts';
import { ACCOUNT, type AccountRow, toAccount } from '../keys/postgres-rows.ts';
import type { Query } from '../postgres.ts';
import { UsageError } from '../usage-error.ts';
import type { Person } from './people.ts';

export const PERSON = `id, email, name, role, account_id, factor_secret IS NOT NULL AS has_factor, created_at, removed_at`;

/** The account with this id; null for the service team, which has none. */
export async function accountOf(query: Query, id: string | null, lock = ''): Promise<Account | null> {
  if (id === null) return null;
  const [row] = await query<AccountRow>(`SELECT ${ACCOUNT} FROM accounts WHERE id = $1 ${lock}`, [id]);
  if (!row) throw new UsageError('there is no such account');
  return toAccount(row);
}

/** Holds a place until the transaction ends: its people change one step at a time, and it is not suspended meanwhile. */
export async function holdPlace(query: Query, accountId: string | null): Promise<Account | null> {
  if (accountId === null) await query("SELECT pg_advisory_xact_lock(hashtext('malaria-proxy service team'))");
  return accountOf(query, accountId, 'FOR NO KEY UPDATE');
}

/** Holds somebody until the transaction ends; null where there is nobody. */
export async function holdPerson(query: Query, id: string | null): Promise<Person | null> {
  const [person] = await query<Person>(
    `SELECT ${PERSON} FROM people WHERE id = $1 AND removed_at IS NULL FOR NO KEY UPDATE`,
    [id],
  );
  return person ?? null;
}

/** Holds somebody and, before, their place. @throws UsageError where they are gone. */
export async function holdPersonInPlace(
  query: Query,
  id: string,
): Promise<{ person: Person; account: Account | null }> {
  // Nobody changes places.
  const [known] = await query<Person>('SELECT account_id FROM people WHERE id = $1', [id]);
  const account = known ? await holdPlace(query, known.account_id) : null;
  return { person: present(await holdPerson(query, id)), account };
}

/** `person`. @throws UsageError where there is none. */
export function present(person: Person | null): Person {
  if (!person) throw new UsageError('this person is no longer here');
  return person;
}

export function peopleOf(query: Query, accountId: string | null): Promise<Person[]> {
  return query<Person>(
    `SELECT ${PERSON} FROM people WHERE account_id IS NOT DISTINCT FROM $1 AND removed_at IS NULL
     ORDER BY created_at, email COLLATE "C"`,
    [accountId],
  );
}

export const spendLinksOf = (query: Query, personId: string | null, now: number) =>
  query('UPDATE links SET used_at = $2 WHERE person_id = $1 AND used_at IS NULL', [personId, now]);

/** Ends all sessions of somebody who is held; but for `kept`, where given. */
export const endSessions = (query: Query, personId: string, kept: Buffer | null = null) =>
  query('DELETE FROM sessions WHERE person_id = $1 AND hash IS DISTINCT FROM $2', [personId, kept]);
