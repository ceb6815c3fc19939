import { accountsAndKeys } from './accounts-and-keys.ts';
import { type Attempts, countAttempts } from './attempt-counts.ts';
import type { Database } from './database.ts';
import { openUsage, type UsageStore } from './usage-counts.ts';

/** Accounts and keys, the people who sign in, sign-in attempts, and requests by day and month. */
export interface AccountStore extends ReturnType<typeof accountsAndKeys> {
  database: Database;
  attempts: Attempts;
  usage: UsageStore;
  close(): Promise<void>;
}

export function storeIn(database: Database): AccountStore {
  return {
    ...accountsAndKeys(database),
    database,
    attempts: countAttempts(database),
    usage: openUsage(database),
    close: database.close,
  };
}
