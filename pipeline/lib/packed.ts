/**
 * The record that `npm run pack` adds to compiled code: the sources that it was compiled from, and the locked packages.
 */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Root of the repository or of the installed package, to which the names of code files are relative. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

export const PACKED = 'packed.json';

/** The code behind a module. */
export interface Code {
  /** Hash of each file of this project, by its path from the root. */
  files: Record<string, string>;
  /** Version of each package that the files import, with a hash of it and of everything it depends on. */
  packages: Record<string, string>;
}

export interface Packed {
  /** The commit that was packed; null if it was not a checkout. */
  commit: string | null;
  dirty: boolean | null;
  /** SHA-256 of its package-lock.json. */
  lock_file: string;
  /**
   * The code behind each module that cache keys depend on, as it was in the checkout, so that a stage has the same key
   * in the checkout and in the package.
   */
  modules: Record<string, Code>;
}

/** The record of an installed package; null in a checkout. */
export function readPacked(root: string): Packed | null {
  try {
    return JSON.parse(readFileSync(path.join(root, PACKED), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * The code behind a module of an installed package. A dependency that is installed in another version than the locked
 * one, because somebody replaced it, counts as the installed version.
 */
export function packedCode({ modules }: Packed, module: string, root: string): Code {
  const { files, packages } = modules[module]!;
  const installed = Object.entries(packages).map(([name, locked]) => {
    const version = installedVersion(name, root);
    return [name, locked.startsWith(`${version} `) ? locked : version];
  });
  return { files, packages: Object.fromEntries(installed) };
}

const installedVersion = (name: string, root: string): string =>
  JSON.parse(readFileSync(packageFile(name, root), 'utf8')).version;

/** The package.json of a package that this project depends on, beside it or further up. */
export function packageFile(name: string, root: string): string {
  const file = findPackageJSON(name, pathToFileURL(path.join(root, 'package.json')));
  if (file === undefined) throw new Error(`${name}: not installed`);
  return file;
}
