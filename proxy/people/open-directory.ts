import { sqliteFile } from '../keys/open-store.ts';
import { UsageError } from '../usage-error.ts';
import { openSqliteDirectory } from './sqlite-directory.ts';
import type { Directory } from './store.ts';

/** The people of the store at `url`, which exists. @throws UsageError where this build has none of the kind. */
export function openDirectory(url: string): Directory {
  const file = sqliteFile(url);
  if (file === null) throw new UsageError('the dashboard needs a store of the form sqlite:FILE in this build');
  return openSqliteDirectory(file);
}
