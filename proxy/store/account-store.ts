import { accountsAndKeys } from './accounts-and-keys.ts';
import type { Attempts } from './attempt-counts.ts';
import type { Database } from './database.ts';
import { openUsage, type UsageStore } from './usage-counts.ts';

/** Accounts and keys, the people who sign in, sign-in attempts, and requests by day. */
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
    attempts: database.attempts,
    usage: openUsage(database),
    close: database.close,
  };
}
