/** The source files of both halves as syntax trees, for tests of the layout and of idioms. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'rolldown/parseAst';

export const ROOT = path.join(import.meta.dirname, '../..');

/** A node of a syntax tree (ESTree): its type and its fields, which may be nodes or lists of nodes. */
export interface Node {
  type: string;
  start: number;
  [field: string]: unknown;
}

/** Paths from the root of the sources under `folders`; the clients' are shipped to others and are none of ours. */
export const sourceFiles = (...folders: string[]): string[] =>
  globSync(
    folders.map((folder) => `${folder}/**/*.{ts,js}`),
    { cwd: ROOT, exclude: ['**/*.d.ts', 'pipeline/publish/clients/ts/**', 'proxy/dashboard/assets/**'] },
  ).sort();

const trees = new Map<string, unknown>();

/** Calls `visit` with every node of a file, in the order of the text. Each file is parsed once. */
export function visitNodes(file: string, visit: (node: Node) => void): void {
  if (!trees.has(file)) {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    trees.set(file, parseAst(text, { lang: file.endsWith('.ts') ? 'ts' : 'js' }, file));
  }
  walk(trees.get(file), visit);
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (value === null || typeof value !== 'object') return;
  if ('type' in value) visit(value as Node);
  for (const field in value) walk((value as Record<string, unknown>)[field], visit);
}

export interface Import {
  from: string;
  to: string;
}

/** The imports of other files of this project, types and dynamic ones included, both ends as paths from the root. */
export function importsOf(file: string): Import[] {
  const found: Import[] = [];
  visitNodes(file, ({ source }) => {
    const target = (source as { value?: unknown } | null | undefined)?.value;
    if (typeof target === 'string' && target.startsWith('.'))
      found.push({ from: file, to: path.join(path.dirname(file), target) });
  });
  return found;
}
