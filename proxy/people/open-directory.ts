import { sqliteFile } from '../keys/open-store.ts';
import { isPostgresStore } from '../keys/postgres-store.ts';
import type { AccountStore } from '../keys/store.ts';
import { openPostgresDirectory } from './postgres-directory.ts';
import { openSqliteDirectory } from './sqlite-directory.ts';
import type { Directory } from './store.ts';

/** The people of `store`, which is the one at `url`. To be closed before it. */
export function openDirectory(url: string, store: AccountStore): Directory {
  return isPostgresStore(store) ? openPostgresDirectory(store.db) : openSqliteDirectory(sqliteFile(url)!);
}
