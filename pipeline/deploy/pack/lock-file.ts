import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The fields of a package-lock.json entry that matter here. */
interface LockEntry {
  /** Given if it differs from the name in the location. */
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optional?: boolean;
}
/** Entries by location, such as `node_modules/a/node_modules/b`; '' is the project itself. */
export type Lock = Record<string, LockEntry>;

export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
}

/** The entries of a package and of all its direct and indirect dependencies. */
export function withDependencies(name: string, lock: Lock): Lock {
  const entries: Lock = {};
  const visit = (dependency: string, importer: string) => {
    const location = resolvePackage(dependency, importer, lock);
    if (location === null || location in entries) return;
    const entry = lock[location]!;
    entries[location] = entry;
    const { dependencies, optionalDependencies, peerDependencies } = entry;
    for (const indirect of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      visit(indirect, location);
  };
  visit(name, '');
  return entries;
}

/** Where Node finds a package imported from `from`: within it or further up. Null if it is not installed. */
function resolvePackage(name: string, importer: string, lock: Lock): string | null {
  const location = `${importer}${importer && '/'}node_modules/${name}`;
  if (location in lock) return location;
  return importer === ''
    ? null
    : resolvePackage(name, importer.slice(0, Math.max(importer.lastIndexOf('node_modules/') - 1, 0)), lock);
}
