import type { Command } from 'commander';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { sqliteFileOf } from '../../server/open-store.ts';
import { backUp, restore } from '../../store/backup.ts';
import { addStoreOptions, print, type StoreOptions } from './shared.ts';

export function addCommands(program: Command): void {
  addStoreOptions(program.command('backup <file>'))
    .description('copy accounts, keys, people and counts to one file; the server may be running')
    .action((file: string, { store, json }: StoreOptions) => {
      backUp(storeFile(store), file);
      print(json ? JSON.stringify({ file }) : `backed up ${store} to ${file}`);
    });
  addStoreOptions(program.command('restore <file>'))
    .description('replace the store with a backup while no server runs; the previous file is kept beside it')
    .option('--forget', 'also if the store is missing or damaged; revocations since the backup are lost then')
    .action((file: string, { store, json, forget }: StoreOptions & { forget?: boolean }) => {
      const { previousStore, isCarriedOver } = restore(file, storeFile(store), forget);
      if (json) return print(JSON.stringify({ store, kept: previousStore, carried_over: isCarriedOver }));
      const taken = isCarriedOver
        ? 'with what was taken away since the backup, people’s present passwords and second factors, and all counts'
        : 'as it was: revoke, suspend and remove again what was revoked, suspended and removed since the backup, and take ' +
          'away again the roles taken away';
      print(`restored ${store}, ${taken}${previousStore ? `; the previous store is now ${previousStore}` : ''}`);
    });
}

function storeFile(store: string): string {
  const file = sqliteFileOf(store);
  if (file !== null) return file;
  throw new UsageError('backup and restore are for stores in SQLite; for PostgreSQL see proxy/deploy/operate.md');
}
