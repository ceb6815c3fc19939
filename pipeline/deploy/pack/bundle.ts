/** The packages that a packed one needs, inside it: npm reads no lock file of a package that is installed from a file. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Lock, readLock, withDependencies } from '../../engine/packages.ts';

/**
 * Copies packages with all that they depend on, in the versions that the lock file of `root` has, to `directory`. What is
 * optional stays out: nothing here loads it.
 */
export function bundle(names: readonly string[], root: string, directory: string): void {
  const lock = readLock(root);
  const all: Lock = Object.assign({}, ...names.map((name) => withDependencies(name, lock)));
  const emptied = Object.keys(all).filter((place) => isEmptied(place, all));
  for (const [place, entry] of Object.entries(all)) {
    if (entry.optional || emptied.includes(place)) continue;
    const from = path.join(root, place);
    const own = path.join(from, 'node_modules');
    cpSync(from, path.join(directory, place), { recursive: true, filter: (file) => file !== own });
    forget(emptied.map(nameOf), path.join(directory, place, 'package.json'));
  }
}

/**
 * A package with all that it depends on, by name with the version that the lock file has, for packages that npm must choose
 * from for the machine at hand: it takes none such out of a bundle.
 */
export function pinned(name: string, root: string): Record<string, string> {
  const entries = Object.entries(withDependencies(name, readLock(root))).filter(([, { optional }]) => !optional);
  return Object.fromEntries(entries.map(([place, { version }]) => [nameOf(place), version!]));
}

const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Whether the `overrides` of package.json put another package in a place, an empty one: npm does not read them either. */
const isEmptied = (place: string, lock: Lock) => lock[place]!.name !== undefined && lock[place]!.name !== nameOf(place);

/** Takes emptied dependencies out of a package's own list, or npm would install the real ones. */
function forget(names: readonly string[], file: string): void {
  const about = JSON.parse(readFileSync(file, 'utf8'));
  const listed = names.filter((name) => about.dependencies?.[name] !== undefined);
  if (listed.length === 0) return;
  for (const name of listed) delete about.dependencies[name];
  writeFileSync(file, `${JSON.stringify(about, null, 2)}\n`);
}
