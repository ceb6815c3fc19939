import { UsageError } from '../usage-error.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { AccountStore } from './store.ts';

export const DEFAULT_STORE = 'sqlite:build/proxy.sqlite';

/** The file of `sqlite:FILE`; null where `url` is of another kind. */
export function sqliteFile(url: string): string | null {
  return /^sqlite:(.+)$/.exec(url)?.[1] ?? null;
}

/** The store of accounts and keys at `url`. @throws UsageError where this build has none of the kind. */
export function openStore(url: string): AccountStore {
  const file = sqliteFile(url);
  if (file !== null) return openSqliteStore(file);
  if (/^postgres(ql)?:\/\//.test(url)) {
    throw new UsageError('store: postgres:// is not in this build yet; use sqlite:FILE');
  }
  // The value itself may hold a password, so it is not repeated.
  throw new UsageError('store: expected sqlite:FILE or postgres://…');
}
