import { backendsOf } from '../../../proxy/server/backends.ts';
import type { AccountStore } from '../../../proxy/store/account-store.ts';

/** The store at `url`, opened as commands and servers do. */
export const openStore = (url: string, limits?: string): Promise<AccountStore> =>
  backendsOf(limits === undefined ? { store: url } : { store: url, limits }).openStore();
