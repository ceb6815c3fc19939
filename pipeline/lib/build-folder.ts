import { existsSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from './errors.ts';
import { quoteForShell } from './shell.ts';

const DEFAULT_FOLDER = 'build';
/** What a command that a message advises needs to work on the same folder of builds. */
export const buildFolderOption = (out: string): string =>
  out === DEFAULT_FOLDER ? '' : ` --out ${quoteForShell(out)}`;

/** @throws UsageError if `directory` is the output of a build, which has its versions below it */
export function refuseBuildFolder(directory: string): void {
  const has = (name: string) => existsSync(path.join(directory, name));
  if (has('manifest.json') || !has('snapshots')) return;
  const current = path.join(directory, 'current');
  throw new UsageError(`${directory}: found the --out of a build, expected a snapshot; give ${current}`);
}
