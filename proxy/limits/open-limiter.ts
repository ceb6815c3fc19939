import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { isPostgresUrl, isRedisUrl, sqliteFile } from '../accounts/open-store.ts';
import type { Clock } from '../clock.ts';
import { UsageError } from '../usage-error.ts';
import type { Limiter } from './limiter.ts';
import { openForOne, openSqliteLimiter } from './sqlite-limiter.ts';

export const DEFAULT_LIMITS = 'sqlite';

/**
 * Where `limits` has the embedded limiter keep its file: for plain `sqlite` beside the store's, which must exist; a link
 * to the store is followed, so that two servers on one store meet at one lock however they name it.
 */
function limitsFile(limits: string, store: string): string {
  const file = limits === 'sqlite' ? sqliteFile(store) : null;
  if (file !== null) return `${realpathSync(file)}-limits`;
  const own = sqliteFile(limits);
  if (own !== null) return own;
  if (limits === 'sqlite') throw new UsageError('limits: with this store, name redis://… or a file: sqlite:FILE');
  // The value itself may hold a password, so it is not repeated.
  throw new UsageError('limits: expected sqlite, sqlite:FILE or redis://…');
}

/** @throws UsageError where `limits` is none that there is, or does not go with `store`. Opens nothing. */
export function checkLimits(limits: string, store: string): void {
  const shared = isPostgresUrl(store);
  if (isRedisUrl(limits) && !shared) throw new UsageError('limits: redis:// goes with --store postgres://…');
  // Who only changes accounts and keys in PostgreSQL counts nothing, and need not say where.
  if (!isRedisUrl(limits) && !(shared && limits === DEFAULT_LIMITS)) limitsFile(limits, store);
}

/**
 * The limiter that `limits` names, for a service whose accounts are in `store`. Where it keeps its file apart from the
 * store, the file beside the store is held too: two servers on one store may not count apart, each by itself.
 */
export function openLimiter(limits: string, store: string, clock: Clock): Limiter {
  const file = limitsFile(limits, store);
  const beside = sqliteFile(store) === null ? file : limitsFile(DEFAULT_LIMITS, store);
  if (resolve(file) === resolve(beside)) return openSqliteLimiter(file, clock);
  const lock = openForOne(beside);
  try {
    const limiter = openSqliteLimiter(file, clock);
    return {
      ...limiter,
      close: async () => {
        await limiter.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}
