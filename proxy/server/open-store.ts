import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../pipeline/lib/errors.ts';
import { AccountStore } from '../store/account-store.ts';

export const DEFAULT_STORE = 'sqlite:build/proxy.sqlite';

/** The file of a store in SQLite, which one machine has to itself; null for PostgreSQL. */
export const sqliteFileOf = (store: string): string | null => /^sqlite:(.+)$/.exec(store)?.[1] ?? null;

/**
 * The store at `store`: `sqlite:FILE` or `postgres://…`. Only the database that is needed is loaded. Messages do not
 * repeat the address of PostgreSQL, which may contain a password.
 * @param mayCreate whether an empty store is made if there is none
 * @throws UsageError if there is no store, or its kind or version is unknown.
 */
export async function openStore(store: string, mayCreate = false): Promise<AccountStore> {
  const file = sqliteFileOf(store);
  if (file !== null) {
    refuseUnwritable(file);
    const { openSqlite } = await import('../store/sqlite.ts');
    return new AccountStore(openSqlite(file, mayCreate));
  }
  if (!/^postgres(ql)?:\/\//.test(store))
    throw new UsageError('--store or MALARIA_STORE: expected sqlite:FILE or postgres://…');
  const { openPostgres } = await import('../store/postgres.ts');
  return new AccountStore(openPostgres(store, mayCreate));
}

/**
 * SQLite would only say that the database is read-only.
 * @throws UsageError if another user owns a file of the store in `file`, or its folder, and this one cannot write it
 */
function refuseUnwritable(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`, dirname(file)]) {
    const stats = statSync(path, { throwIfNoEntry: false });
    const ownUid = process.geteuid?.();
    if (!stats || stats.uid === ownUid) continue;
    try {
      accessSync(path, constants.W_OK);
    } catch {
      throw new UsageError(
        `store: ${path} belongs to user ${stats.uid}, and this program runs as user ${ownUid}, which cannot write it; ` +
          `run it as that user, or: sudo chown ${ownUid} ${path}`,
      );
    }
  }
}
