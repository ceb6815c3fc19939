import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../lib/hash.ts';
import { ROOT, readPackRecord } from '../lib/packed.ts';

/** The file that fixes the version of every npm package. */
export const LOCK_FILE = 'package-lock.json';

/** A file's hash, and the relative paths that its code names. */
interface CodeFile {
  hash: string;
  relativePaths: string[];
}
/** Files already read; they are not expected to change while the process runs. */
const filesRead = new Map<string, CodeFile>();

/**
 * The SHA-256 of everything that a module runs, by path from the root: its file, every file of this project that it
 * imports, directly or indirectly, and the lock file, which stands for all npm packages. Any string that is the
 * relative path of a file counts as an import, since the file may be started as a worker or shipped as it is. Type-only
 * imports do not count.
 *
 * In an installed package it is the code that the module was compiled from.
 */
export function moduleCodeHashes(module: string, root = ROOT): Record<string, string> {
  const packed = readPackRecord(root);
  if (packed) return packed.modules[module]!;
  const files = new Map<string, string>();
  const visit = (file: string) => {
    const pathFromRoot = path.relative(root, file);
    if (files.has(pathFromRoot)) return;
    const codeFile = filesRead.get(file) ?? readCode(file);
    filesRead.set(file, codeFile);
    files.set(pathFromRoot, codeFile.hash);
    const imported = codeFile.relativePaths.map((relative) => path.resolve(path.dirname(file), relative));
    for (const dependency of imported) if (isFile(dependency)) visit(dependency);
  };
  visit(path.resolve(root, module));
  visit(path.resolve(root, LOCK_FILE));
  return Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const isFile = (file: string) => statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;

/**
 * The first of these files that has changed since it was hashed, or null.
 * @param files as `moduleCodeHashes` returns them
 */
export function changedCodeFile(files: Record<string, string>, root = ROOT): string | null {
  const packed = readPackRecord(root);
  const packagedHashes: Record<string, string> = packed ? Object.assign({}, ...Object.values(packed.modules)) : {};
  const currentHash = (name: string) => {
    const file = path.resolve(root, name);
    if (packed) return packagedHashes[name];
    return isFile(file) ? sha256(readFileSync(file)) : undefined;
  };
  return Object.keys(files).find((name) => currentHash(name) !== files[name]) ?? null;
}

/** An `import type` or `export type`, which is erased before the code runs. */
const TYPE_IMPORT = /^(?:import|export) type (?:\{[^}]*\}|\*(?: as \w+)?|\w+) from '[^']+'/gm;
const RELATIVE_PATH = /(['"])(\.\.?\/[^'"\n]+)\1/g;

function readCode(file: string): CodeFile {
  const bytes = readFileSync(file);
  const isCode = /\.[cm]?[jt]s$/.test(file);
  const strings = isCode ? bytes.toString('utf8').replace(TYPE_IMPORT, '').matchAll(RELATIVE_PATH) : [];
  return { hash: sha256(bytes), relativePaths: [...new Set([...strings].map(([, , relative]) => relative!))] };
}

/** Part of every key, since another version of Node may compress, add or sort differently. */
export const RUNTIME = `node ${process.versions.node}`;
