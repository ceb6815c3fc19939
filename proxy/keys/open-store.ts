import { openConfirm } from '../gate/mirror.ts';
import { openPostgres } from '../postgres.ts';
import { UsageError } from '../usage-error.ts';
import { SCHEMA } from './postgres-schema.ts';
import { openPostgresStore, type PostgresStore } from './postgres-store.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { AccountStore } from './store.ts';

export const DEFAULT_STORE = 'sqlite:build/proxy.sqlite';

/** The file of `sqlite:FILE`; null where `url` is of another kind. */
export function sqliteFile(url: string): string | null {
  return /^sqlite:(.+)$/.exec(url)?.[1] ?? null;
}

export const isPostgresUrl = (url: string) => /^postgres(ql)?:\/\//.test(url);
export const isRedisUrl = (limits: string) => /^rediss?:\/\//.test(limits);

/**
 * The store of accounts and keys at `url`. Where it is in PostgreSQL and `limits` names the Redis of the proxies, it
 * tells Redis of each change itself; else it waits until a proxy has.
 * @throws UsageError where there is none of the kind.
 */
export function openStore(url: string, limits = ''): AccountStore {
  const file = sqliteFile(url);
  if (file !== null) return openSqliteStore(file);
  if (isPostgresUrl(url)) return openShared(url, limits);
  // The value itself may hold a password, so it is not repeated.
  throw new UsageError('store: expected sqlite:FILE or postgres://…');
}

function openShared(url: string, limits: string): PostgresStore {
  const db = openPostgres(url, SCHEMA);
  const { confirm, close } = openConfirm(db, isRedisUrl(limits) ? limits : null);
  const store = openPostgresStore(db, confirm);
  return {
    ...store,
    async close() {
      close();
      await store.close();
    },
  };
}
