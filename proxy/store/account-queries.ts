/** Queries that several files share. */
import type { Scope } from '../../pipeline/contract/scopes.ts';
import { UsageError } from '../../pipeline/lib/errors.ts';
import type { DbOrTx } from './database.ts';
import type { Account } from './row-types.ts';

export const selectAccounts = (db: DbOrTx) => db.selectFrom('accounts').selectAll();

export const toKey = <Row extends { scopes: string }>(row: Row) => ({
  ...row,
  scopes: row.scopes.split(',') as Scope[],
});

type Lock = 'share' | 'update';

/** The account with this id or name. @param lock how to lock it until the transaction ends */
export async function findAccountBy(
  db: DbOrTx,
  column: 'id' | 'name',
  value: string,
  lock?: Lock,
): Promise<Account | null> {
  const query = selectAccounts(db).where(column, '=', value);
  const lockingQuery = lock === undefined ? query : lock === 'share' ? query.forShare() : query.forNoKeyUpdate();
  return (await lockingQuery.executeTakeFirst()) ?? null;
}

/** The account with this id; null for the service team, which has none. */
export async function requireAccount(db: DbOrTx, id: string | null, lock?: Lock): Promise<Account | null> {
  if (id === null) return null;
  const account = await findAccountBy(db, 'id', id, lock);
  if (!account) throw new UsageError('there is no such account');
  return account;
}
