import { openStore as open } from '../../../proxy/server/backends.ts';
import type { AccountStore } from '../../../proxy/store/account-store.ts';

/** The store at `url`, opened as commands and servers do, and made if there is none. */
export const openStore = (url: string): Promise<AccountStore> => open(url, true);

/** Makes an empty store at `url`, as create-store does. */
export const createStore = async (url: string): Promise<void> => (await openStore(url)).close();
