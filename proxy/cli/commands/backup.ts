import type { Command } from 'commander';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { backendsOf } from '../../server/backends.ts';
import { backUp, restore } from '../../store/backup.ts';
import { addStoreOptions, print, type StoreOptions } from './shared.ts';

export function addBackupCommands(program: Command): void {
  addStoreOptions(program.command('backup <file>'))
    .description('copy accounts, keys, people and limits to one file; the server may be running')
    .action((file: string, { store, json }: StoreOptions) => {
      backUp(fileOf(store), file);
      print(json ? JSON.stringify({ file }) : `backed up ${store} to ${file}`);
    });
  addStoreOptions(program.command('restore <file>'))
    .description('replace the store with a backup while no server runs; the previous files are kept beside it')
    .action((file: string, { store, json }: StoreOptions) => {
      const kept = restore(file, fileOf(store));
      print(
        json
          ? JSON.stringify({ store, kept })
          : `restored ${store}${kept ? `; the previous store is now ${kept}` : ''}`,
      );
    });
}

function fileOf(store: string): string {
  const file = backendsOf({ store }).storeFile;
  if (file !== null) return file;
  throw new UsageError('backup and restore are for stores in SQLite; for PostgreSQL see proxy/cluster/README.md');
}
