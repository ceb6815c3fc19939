import { isPostgresStore } from '../keys/postgres-store.ts';
import type { AccountStore } from '../keys/store.ts';
import { type Attempts, countAttempts } from './attempts.ts';
import { countAttemptsIn } from './postgres-attempts.ts';

/** Where attempts on the people of `store` are counted: for all processes that may be serving it. */
export function openAttempts(store: AccountStore): Attempts {
  return isPostgresStore(store) ? countAttemptsIn(store.db) : countAttempts();
}
