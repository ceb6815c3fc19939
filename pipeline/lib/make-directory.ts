import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from './errors.ts';

/**
 * Creates a directory and those above it, if they do not exist. Node's `recursive` never ends where the system creates
 * none, as in /proc.
 */
export function makeDirectory(directory: string): void {
  const isDirectory = () => statSync(directory, { throwIfNoEntry: false })?.isDirectory();
  if (isDirectory()) return;
  const parent = path.dirname(directory);
  if (parent !== directory) makeDirectory(parent);
  try {
    mkdirSync(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process may have created it.
    if (code === 'EEXIST' && isDirectory()) return;
    const found = { EEXIST: 'a file', ENOENT: 'a place where this system creates no directory' }[code ?? ''];
    throw found ? new UsageError(`${directory}: found ${found}, expected a directory; give another one`) : error;
  }
}
