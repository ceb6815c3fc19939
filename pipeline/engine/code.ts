import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from './hash.ts';

/** Root of the repository: names of code files are relative to it. */
export const ROOT = path.resolve(fileURLToPath(import.meta.url), '../../..');

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/**
 * The hash of a module's source and of every file of this project that it imports, directly or not: path from the
 * repository's root -> SHA-256. Packages are covered by the lock file's hash.
 */
export function codeFiles(module: string): Record<string, string> {
  const files = new Map<string, string>();
  const visit = (file: string) => {
    if (files.has(file)) return;
    const text = readFileSync(file, 'utf8');
    files.set(file, sha256(text));
    for (const match of text.matchAll(IMPORT)) visit(path.resolve(path.dirname(file), match[1]!));
  };
  visit(path.resolve(ROOT, module));
  const entries = [...files].map(([file, hash]): [string, string] => [path.relative(ROOT, file), hash]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Hash of the lock file: a dependency's upgrade is a change of every stage. */
export function lockHash(): string {
  return sha256(readFileSync(path.join(ROOT, 'package-lock.json')));
}
