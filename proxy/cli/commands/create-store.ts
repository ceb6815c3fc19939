import type { Command } from 'commander';
import { openStore } from '../../server/open-store.ts';
import { addStoreOptions, print, type StoreOptions } from './shared.ts';

export function addCommands(program: Command): void {
  addStoreOptions(program.command('create-store'))
    .description('make an empty store for accounts, keys, people and counts; one that is there stays as it is')
    .action(async ({ store, json }: StoreOptions) => {
      const created = await openStore(store, true);
      try {
        // PostgreSQL is connected to, and the tables are made, by the first query.
        const accounts = (await created.listAccounts()).length;
        print(json ? JSON.stringify({ accounts }) : `the store is ready; it has ${accounts || 'no'} accounts`);
      } finally {
        await created.close();
      }
    });
}
