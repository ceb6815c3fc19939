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

/**
 * The imports of other files of this project, both ends as paths from the root: types and dynamic ones included, and
 * the modules that threads are started with, `new URL('./worker.ts', import.meta.url)`.
 */
export function importsOf(file: string): Import[] {
  const found: Import[] = [];
  visitNodes(file, (node) => {
    const target = textOf(node.type === 'NewExpression' ? urlIn(node) : node.source);
    if (target?.startsWith('.')) found.push({ from: file, to: path.join(path.dirname(file), target) });
  });
  return found;
}

/** The first argument of `new URL(…)` for a module of TypeScript. */
function urlIn({ callee, arguments: given }: Node): unknown {
  const [first] = given as Node[];
  return (callee as { name?: string }).name === 'URL' && /\.ts$/.test(textOf(first) ?? '') ? first : undefined;
}

/** The text of a string, or of a template without values; undefined for any other node. */
function textOf(node: unknown): string | undefined {
  const { value, quasis } = Object(node) as { value?: unknown; quasis?: { value: { cooked: string } }[] };
  if (typeof value === 'string') return value;
  return quasis?.length === 1 ? quasis[0]!.value.cooked : undefined;
}
