/**
 * Puts the dependencies of a packed package inside it: npm ignores the lock file of a package installed from a file.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Lock, readLock, withDependencies } from './lock-file.ts';

/**
 * Copies packages and all their dependencies to `directory`, in the versions of the lock file in `root`. Optional ones
 * are left out: nothing here loads them.
 */
export function bundle(names: readonly string[], root: string, directory: string): void {
  const lock = readLock(root);
  const packages: Lock = Object.assign({}, ...names.map((name) => withDependencies(name, lock)));
  const emptiedFolders = Object.keys(packages).filter((folder) => isEmptied(folder, packages));
  for (const [folder, entry] of Object.entries(packages)) {
    if (entry.optional || emptiedFolders.includes(folder)) continue;
    const from = path.join(root, folder);
    const nested = path.join(from, 'node_modules');
    cpSync(from, path.join(directory, folder), { recursive: true, filter: (file) => file !== nested });
    removeDependencies(emptiedFolders.map(packageName), path.join(directory, folder, 'package.json'));
  }
}

/**
 * The locked versions of a package and all its dependencies, by name. For packages that differ by platform: npm has to
 * choose among them at installation, which it does not do for bundled ones.
 */
export function lockedVersions(name: string, root: string): Record<string, string> {
  const entries = Object.entries(withDependencies(name, readLock(root))).filter(([, { optional }]) => !optional);
  return Object.fromEntries(entries.map(([folder, { version }]) => [packageName(folder), version!]));
}

const packageName = (folder: string) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

/**
 * Whether `overrides` in package.json replace the package in `folder` by an empty one: npm ignores `overrides`, like
 * the lock file, when it installs a package from a file.
 */
const isEmptied = (folder: string, lock: Lock) =>
  lock[folder]!.name !== undefined && lock[folder]!.name !== packageName(folder);

/** Removes emptied dependencies from a package's own list, since npm would otherwise install the real ones. */
function removeDependencies(names: readonly string[], file: string): void {
  const packageJson = JSON.parse(readFileSync(file, 'utf8'));
  const dependenciesToRemove = names.filter((name) => packageJson.dependencies?.[name] !== undefined);
  if (dependenciesToRemove.length === 0) return;
  for (const name of dependenciesToRemove) delete packageJson.dependencies[name];
  writeFileSync(file, `${JSON.stringify(packageJson, null, 2)}\n`);
}
