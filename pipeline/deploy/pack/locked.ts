import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The fields of a package-lock.json entry that matter here. */
interface Locked {
  /** Given if it differs from the name in the location. */
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optional?: boolean;
}
/** Entries by location, such as `node_modules/a/node_modules/b`; '' is the project itself. */
export type Lock = Record<string, Locked>;

export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
}

/** The entries of a package and of all its direct and indirect dependencies. */
export function withDependencies(name: string, lock: Lock): Lock {
  const found: Lock = {};
  const visit = (wanted: string, from: string) => {
    const place = placeOf(wanted, from, lock);
    if (place === null || place in found) return;
    const entry = lock[place]!;
    found[place] = entry;
    const { dependencies, optionalDependencies, peerDependencies } = entry;
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      visit(needed, place);
  };
  visit(name, '');
  return found;
}

/** Where Node finds a package imported from `from`: within it or further up. Null if it is not installed. */
function placeOf(name: string, from: string, lock: Lock): string | null {
  const place = `${from}${from && '/'}node_modules/${name}`;
  if (place in lock) return place;
  return from === '' ? null : placeOf(name, from.slice(0, Math.max(from.lastIndexOf('node_modules/') - 1, 0)), lock);
}
