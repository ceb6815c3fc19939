import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256, sha256Json } from './hash.ts';
import { tokensOf } from './tokens.ts';

/** Root of the repository: names of code files are relative to it. */
export const ROOT = path.resolve(fileURLToPath(import.meta.url), '../../..');

/** Hash of a file of code and the files that it names. */
interface CodeFile {
  hash: string;
  names: string[];
}
const seen = new Map<string, CodeFile>();

/**
 * The hash of a module's code and of every file of this project that it imports, directly or not: path from `root` ->
 * SHA-256. Comments and layout do not count (see tokens.ts), nor does what is imported for its types alone. Packages
 * are covered by the lock file's hash.
 */
export function codeFiles(module: string, root = ROOT): Record<string, string> {
  const files = new Map<string, string>();
  const visit = (file: string) => {
    const name = path.relative(root, file);
    if (files.has(name)) return;
    let code = seen.get(file);
    if (!code) {
      code = readCode(file);
      seen.set(file, code);
    }
    files.set(name, code.hash);
    for (const other of code.names) visit(other);
  };
  visit(path.resolve(root, module));
  return Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The first of these files that is no longer what it was; null where all are. @param code as `codeFiles` gave it */
export function changedCode(code: Record<string, string>, root = ROOT): string | null {
  const same = ([name, hash]: [string, string]) => {
    const file = path.resolve(root, name);
    return existsSync(file) && readCode(file).hash === hash;
  };
  return Object.entries(code).find((one) => !same(one))?.[0] ?? null;
}

function readCode(file: string): CodeFile {
  const text = readFileSync(file, 'utf8');
  const tokens = /\.[cm]?[jt]s$/.test(file) ? tokensOf(text) : null;
  // A text that names a file beside this one counts as an import of it, in whatever way it comes to be read.
  const named = (tokens ? withoutTypeImports(tokens) : (text.match(/'[^'\n]+'|"[^"\n]+"/g) ?? [])).flatMap((token) => {
    const relative = /^['"](\.\.?\/[^'"]+)['"]$/.exec(token)?.[1];
    const target = relative === undefined ? undefined : path.resolve(path.dirname(file), relative);
    return target !== undefined && /\.\w+$/.test(target) && existsSync(target) ? [target] : [];
  });
  return { hash: tokens ? sha256Json(tokens) : sha256(text), names: [...new Set(named)] };
}

/** Tokens without those of `import type … from '…'` and `export type … from '…'`, which are erased before the code runs. */
function withoutTypeImports(tokens: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const next = tokens[i + 2];
    const erased =
      (tokens[i] === 'import' || tokens[i] === 'export') &&
      tokens[i + 1] === 'type' &&
      (next === '{' || next === '*' || tokens[i + 3] === 'from') &&
      next !== 'from';
    if (!erased) {
      kept.push(tokens[i]!);
      continue;
    }
    const end = tokens.indexOf(';', i);
    const from = tokens.indexOf('from', i);
    if (from !== -1 && from < end && from === end - 2) i = end;
    else kept.push(tokens[i]!);
  }
  return kept;
}

/** Hash of the lock file: a dependency's upgrade is a change of every stage. */
export function lockHash(): string {
  return sha256(readFileSync(path.join(ROOT, 'package-lock.json')));
}

/** What runs the code: another Node may compress, add or sort in another way. */
export const RUNTIME = `node ${process.versions.node}`;
