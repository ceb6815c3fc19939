import { UsageError } from '../errors.ts';
import { accountsAndKeys } from './accounts-and-keys.ts';
import type { Attempts } from './attempts.ts';
import type { Database } from './database.ts';
import { type Directory, openDirectory } from './directory.ts';
import { keyReader } from './key-reader.ts';
import { openSqlite } from './sqlite.ts';
import { openUsage, type UsageStore } from './usage.ts';

export const DEFAULT_STORE = 'sqlite:build/proxy.sqlite';

/** The file of `sqlite:FILE`; null where `url` is of another kind. */
export function sqliteFile(url: string): string | null {
  return /^sqlite:(.+)$/.exec(url)?.[1] ?? null;
}

export const isPostgresUrl = (url: string) => /^postgres(ql)?:\/\//.test(url);
export const isRedisUrl = (limits: string) => /^rediss?:\/\//.test(limits);

/** Accounts and keys, and beside them the people who sign in, their attempts to, and requests by day. */
export interface AccountStore extends ReturnType<typeof accountsAndKeys>, ReturnType<typeof keyReader> {
  database: Database;
  directory: Directory;
  attempts: Attempts;
  usage: UsageStore;
  /** Notes uses first. */
  close(): Promise<void>;
}

/**
 * The store at `url`. Where it is in PostgreSQL and `limits` names the Redis of the proxies, it tells Redis of each change
 * itself; else it waits until a proxy has.
 * @throws UsageError where there is none of the kind.
 */
export async function openStore(url: string, limits = ''): Promise<AccountStore> {
  const file = sqliteFile(url);
  if (file !== null) return storeIn(openSqlite(file));
  // The value itself may hold a password, so it is not repeated.
  if (!isPostgresUrl(url)) throw new UsageError('store: expected sqlite:FILE or postgres://…');
  // Loaded here, so that one machine does without it.
  const { openPostgres } = await import('../cluster/postgres.ts');
  return storeIn(openPostgres(url, isRedisUrl(limits) ? limits : null));
}

export function storeIn(database: Database): AccountStore {
  const keys = keyReader(database);
  return {
    ...accountsAndKeys(database),
    ...keys,
    database,
    directory: openDirectory(database),
    attempts: database.attempts,
    usage: openUsage(database),
    async close() {
      try {
        await keys.noteUses();
      } finally {
        await database.close();
      }
    },
  };
}
