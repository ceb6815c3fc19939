import { openStore as open } from '../../../proxy/server/open-store.ts';
import type { AccountStore } from '../../../proxy/store/account-store.ts';

/** The store at `url`, opened as commands and servers do, and made if there is none. */
export const openStore = (url: string): Promise<AccountStore> => open(url, true);

/** Makes an empty store at `url`, as create-store does. */
export async function createStore(url: string): Promise<void> {
  const store = await openStore(url);
  // PostgreSQL makes its tables with the first query.
  await store.listAccounts();
  await store.close();
}
