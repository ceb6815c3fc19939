/** The record that `npm run pack` adds to compiled code: the sources that it was compiled from. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Root of the repository or of the installed package, to which the names of code files are relative. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

export const PACK_RECORD_FILE = 'packed.json';

export interface PackRecord {
  /** The commit that was packed; null if it was not a checkout. */
  commit: string | null;
  dirty: boolean | null;
  /**
   * The hashes of the code behind each module that cache keys depend on, as they were in the checkout, so that a stage
   * has the same key in the checkout and in the package.
   */
  modules: Record<string, Record<string, string>>;
}

/** The record of an installed package; null in a checkout. */
export function readPackRecord(root: string): PackRecord | null {
  try {
    return JSON.parse(readFileSync(path.join(root, PACK_RECORD_FILE), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
