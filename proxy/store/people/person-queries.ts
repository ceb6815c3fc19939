/**
 * Queries that several files share. To avoid deadlocks, every transaction locks in one order: the team (an account, or
 * the service team), a person, anything else. FOR NO KEY UPDATE never delays PostgreSQL's checks of references. SQLite
 * has a single write lock and needs none of this.
 */
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { requireAccount } from '../account-queries.ts';
import type { Database, DbOrTx } from '../database.ts';
import type { Account, Person, TableRows } from '../row-types.ts';
import { update } from '../statements.ts';

/** People who have not been removed, with their secrets. */
export const selectPeople = (db: DbOrTx) => db.selectFrom('people').selectAll('people').where('removed_at', 'is', null);

type PersonRow = Omit<TableRows['people'], 'factor_step'>;

export function toPerson({
  id,
  email,
  name,
  role,
  account_id,
  factor_secret,
  created_at,
  removed_at,
}: PersonRow): Person {
  return { id, email, name, role, account_id, has_factor: factor_secret !== null, created_at, removed_at };
}

/** Locks a team until the transaction ends: meanwhile nobody else can change its people or suspend it. */
export async function lockTeam(
  { lockServiceTeam }: Database,
  tx: DbOrTx,
  accountId: string | null,
): Promise<Account | null> {
  if (accountId === null) await lockServiceTeam(tx);
  return requireAccount(tx, accountId, 'update');
}

/** Locks a person until the transaction ends; null if there is no such person. */
export async function lockPerson(tx: DbOrTx, id: string | null): Promise<Person | null> {
  const query = selectPeople(tx).where('id', '=', id ?? '');
  const row = await query.forNoKeyUpdate().executeTakeFirst();
  return row ? toPerson(row) : null;
}

/** Locks a person's team, then the person. @throws UsageError if the person has been removed. */
export async function lockTeamAndPerson(database: Database, tx: DbOrTx, id: string) {
  // Read without a lock: nobody ever moves to another team.
  const membership = await tx.selectFrom('people').select('account_id').where('id', '=', id).executeTakeFirst();
  const account = membership ? await lockTeam(database, tx, membership.account_id) : null;
  return { person: checkPresent(await lockPerson(tx, id)), account };
}

/** Returns `person`. @throws UsageError if it is null. */
export function checkPresent(person: Person | null): Person {
  if (!person) throw new UsageError('this person has been removed');
  return person;
}

export async function listTeamPeople(db: DbOrTx, accountId: string | null): Promise<Person[]> {
  const rows = selectPeople(db).where(({ and }) => and({ account_id: accountId }));
  const sorted = rows.orderBy('created_at').orderBy('email', (order) => order.collate('C'));
  return (await sorted.execute()).map(toPerson);
}

export const spendLinks = (tx: DbOrTx, personId: string | null, now: number) =>
  update(tx, 'links', { person_id: personId ?? '', used_at: null }, { used_at: now });

/** Ends all sessions of a locked person, except `keptSession`. */
export async function endSessions(tx: DbOrTx, personId: string, keptSession: Buffer | null = null): Promise<void> {
  const sessions = tx.deleteFrom('sessions').where('person_id', '=', personId);
  await sessions.where('hash', 'is distinct from', keptSession).execute();
}
