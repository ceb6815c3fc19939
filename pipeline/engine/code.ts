import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import jsTokens from 'js-tokens';
import { sha256, sha256Json } from '../lib/hash.ts';
import { type Code, packedCode, ROOT, readPacked } from '../lib/packed.ts';
import { lockedPackages } from './packages.ts';

/** A file's text and hash, and the strings in it that may refer to other files or packages. */
interface CodeFile {
  text: string;
  hash: string;
  strings: string[];
}
/** Code files and lock files already read; they are not expected to change while the process runs. */
const seen = new Map<string, CodeFile>();
const locked = new Map<string, Map<string, string>>();

/**
 * All code that a module runs: its own file, every file of this project that it imports, directly or indirectly, and
 * the packages that those import. Any string that is the relative path of a file, or the name of a dependency, counts
 * as an import, since the file may be started as a worker or shipped as it is. Type-only imports do not count. (Biome
 * refuses to import a package that package.json does not list.)
 *
 * In an installed package it is the code that the module was compiled from.
 */
export function codeOf(module: string, root = ROOT): Code {
  const packed = readPacked(root);
  if (packed) return packedCode(packed, module, root);
  const files = new Map<string, string>();
  const packages = new Map<string, string>();
  if (!locked.has(root)) locked.set(root, lockedPackages(root));
  const dependencies = locked.get(root)!;
  const visit = (file: string) => {
    const name = path.relative(root, file);
    if (files.has(name)) return;
    let code = seen.get(file);
    if (!code) {
      code = readCode(file);
      seen.set(file, code);
    }
    files.set(name, code.hash);
    for (const string of code.strings) {
      const beside = /^\.\.?\//.test(string) ? path.resolve(path.dirname(file), string) : null;
      const dependency = /^(?:@[^/]+\/)?[^/]+/.exec(string)?.[0] ?? '';
      const hash = dependencies.get(dependency);
      if (beside !== null && isFile(beside)) visit(beside);
      else if (hash !== undefined) packages.set(dependency, hash);
    }
  };
  visit(path.resolve(root, module));
  return { files: inOrder(files), packages: inOrder(packages) };
}

const isFile = (file: string) => statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;

const inOrder = (map: Map<string, string>) => Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));

/** The first of these files that has changed since it was hashed, or null. @param files as returned by `codeOf` */
export function changedFile(files: Code['files'], root = ROOT): string | null {
  const packed = readPacked(root);
  if (packed) {
    const now = Object.assign({}, ...Object.values(packed.modules).map((code) => code.files));
    return Object.keys(files).find((name) => now[name] !== files[name]) ?? null;
  }
  const same = ([name, hash]: [string, string]) => {
    const file = path.resolve(root, name);
    if (!isFile(file)) return false;
    const before = seen.get(file);
    // This runs after every stage, so only files that changed are tokenized again.
    const unchanged = before !== undefined && readFileSync(file, 'utf8') === before.text;
    return (unchanged ? before : readCode(file)).hash === hash;
  };
  return Object.entries(files).find((file) => !same(file))?.[0] ?? null;
}

/**
 * In code, comments, indentation and empty lines do not count; in any other file every byte does. (The tokenizer
 * mistakes the division in TypeScript's `x! / y` for a regular expression, so the rest of such a line is hashed as it
 * stands.)
 */
function readCode(file: string): CodeFile {
  const text = readFileSync(file, 'utf8');
  if (!/\.[cm]?[jt]s$/.test(file)) return { text, hash: sha256(text), strings: [] };
  const tokens: string[] = [];
  const strings = new Set<string>();
  for (const { type, value } of jsTokens(text)) {
    if (type === 'StringLiteral' && !endsTypeImport(tokens)) strings.add(value.slice(1, -1));
    if (type !== 'WhiteSpace' && type !== 'LineTerminatorSequence' && !type.endsWith('Comment')) tokens.push(value);
    // A line end may end a statement, so it counts.
    else if (value.includes('\n') && tokens.length > 0 && tokens.at(-1) !== '\n') tokens.push('\n');
  }
  return { text, hash: sha256Json(tokens), strings: [...strings] };
}

/** Whether the next string belongs to an `import type` or `export type`, which is erased before the code runs. */
function endsTypeImport(tokens: readonly string[]): boolean {
  if (tokens.at(-1) !== 'from') return false;
  const statement = Math.max(tokens.lastIndexOf('import'), tokens.lastIndexOf('export'));
  return tokens[statement + 1] === 'type' && tokens[statement + 2] !== 'from';
}

/** Part of every key, since another version of Node may compress, add or sort differently. */
export const RUNTIME = `node ${process.versions.node}`;
