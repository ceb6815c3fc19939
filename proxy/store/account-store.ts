import { UsageError } from '../../pipeline/lib/errors.ts';
import { accountsAndKeys } from './accounts-and-keys.ts';
import type { Attempts } from './attempt-counts.ts';
import type { Database } from './database.ts';
import { openSqlite } from './sqlite.ts';
import { openUsage, type UsageStore } from './usage-counts.ts';

export const DEFAULT_STORE = 'sqlite:build/proxy.sqlite';

/** The file in `sqlite:FILE`; null if `url` is of another kind. */
export function sqliteFile(url: string): string | null {
  return /^sqlite:(.+)$/.exec(url)?.[1] ?? null;
}

export const isPostgresUrl = (url: string) => /^postgres(ql)?:\/\//.test(url);
export const isRedisUrl = (limits: string) => /^rediss?:\/\//.test(limits);

/** Accounts and keys, the people who sign in, sign-in attempts, and requests by day. */
export interface AccountStore extends ReturnType<typeof accountsAndKeys> {
  database: Database;
  attempts: Attempts;
  usage: UsageStore;
  close(): Promise<void>;
}

/**
 * The store at `url`. With PostgreSQL, it passes each change on to Redis itself if `limits` names the proxies' Redis;
 * otherwise it waits until a proxy has done so.
 * @throws UsageError if `url` is of an unknown kind.
 */
export async function openStore(url: string, limits = ''): Promise<AccountStore> {
  const file = sqliteFile(url);
  if (file !== null) return storeIn(openSqlite(file));
  // The value may contain a password, so the message does not repeat it.
  if (!isPostgresUrl(url)) throw new UsageError('store: expected sqlite:FILE or postgres://…');
  // Loaded only here: a single machine does not need it.
  const { openPostgres } = await import('../cluster/postgres.ts');
  return storeIn(openPostgres(url, isRedisUrl(limits) ? limits : null));
}

export function storeIn(database: Database): AccountStore {
  return {
    ...accountsAndKeys(database),
    database,
    attempts: database.attempts,
    usage: openUsage(database),
    close: database.close,
  };
}
