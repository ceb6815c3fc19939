import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, type Node, ROOT, sourceFiles, visitNodes } from './support/source-files.ts';

/**
 * The rooms of each half, in the order of the data's flow. A room imports only rooms that stand above it here.
 * `stages.ts` is the map: it knows every room whose stages it lists.
 */
const PIPELINE = [
  'lib',
  'contract',
  'engine',
  'catalog',
  'ingest',
  'measure',
  'model',
  'synthetic',
  'validate',
  'publish',
  'intake',
  'stages.ts',
  'release',
  'cli',
  'deploy',
];
const PROXY = ['limits', 'store', 'snapshot', 'api', 'dashboard', 'server', 'cli', 'deploy'];
/** What the proxy may know of the pipeline. The pipeline knows nothing of the proxy. */
const SHARED = ['pipeline/lib', 'pipeline/contract'];

/** What stands at the top: the card's folders and files, and what a repository needs. */
const TOP = [
  '.ci',
  '.dockerignore',
  '.gitignore',
  '.npmrc',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'biome.json',
  'package-lock.json',
  'package.json',
  'pipeline',
  'proxy',
  'raw-data',
  'test',
  'tsconfig.json',
  'vitest.config.ts',
  'vitest.long.config.ts',
];

/** Names that say nothing without their folder: one file of each at most. */
const ONCE = ['stage.ts', 'tables.ts'];

/** The only files beside the rooms. */
const LOOSE = ['pipeline/README.md', 'pipeline/stages.ts', 'proxy/README.md'];

/**
 * Models are apart from each other. What passes between them are tables, whose columns a model may import from the one
 * that makes them (`*-tables.ts`); and chap is forecast behind other commands.
 */
const BETWEEN_MODELS = [
  ['chap', 'forecast'],
  ['risk', 'season', 'tables'],
  ['transmission', 'season', 'tables'],
];

const IMPORTS = sourceFiles('pipeline', 'proxy').flatMap(importsOf);
const roomOf = (file: string) => file.split('/').slice(0, 2).join('/');
const show = ({ from, to }: { from: string; to: string }) => `${from} imports ${to}`;

function isAllowed(from: string, to: string): boolean {
  if (from === to) return true;
  const [half, room] = from.split('/') as [string, string];
  if (half === 'proxy' && SHARED.includes(to)) return true;
  const order = half === 'proxy' ? PROXY : PIPELINE;
  return order.slice(0, order.indexOf(room)).some((above) => `${half}/${above}` === to);
}

test('nothing stands at the top but the card and what a repository needs', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  expect([...new Set(tracked.map((file) => file.split('/')[0]!))].sort()).toEqual(TOP.toSorted());
});

test('a file whose name says nothing without its folder exists once', () => {
  const names = sourceFiles('pipeline', 'proxy').map((file) => path.basename(file));
  for (const name of ONCE) expect(names.filter((other) => other === name).length, name).toBeLessThanOrEqual(1);
});

test('the rooms are those of the list, with no other file beside them', () => {
  const entries = ['pipeline', 'proxy'].flatMap((half) =>
    readdirSync(path.join(ROOT, half)).map((name) => `${half}/${name}`),
  );
  const rooms = [...PIPELINE.map((room) => `pipeline/${room}`), ...PROXY.map((room) => `proxy/${room}`)];
  expect(entries.sort()).toEqual([...new Set([...rooms, ...LOOSE])].sort());
});

test('a room imports only rooms above it; the proxy, of the pipeline, only the contract and lib', () => {
  expect(IMPORTS.length).toBeGreaterThan(1500);
  expect(IMPORTS.filter(({ from, to }) => !isAllowed(roomOf(from), roomOf(to))).map(show)).toEqual([]);
});

test('between models pass tables only', () => {
  const modelOf = (file: string) => /^pipeline\/model\/([^/]+)/.exec(file)?.[1];
  const across = IMPORTS.filter(({ from, to }) => {
    const [own, other] = [modelOf(from), modelOf(to)];
    return own !== undefined && other !== undefined && own !== other;
  });
  expect(across.length).toBeGreaterThan(0);
  const isBetween = ({ from, to }: (typeof across)[number]) =>
    BETWEEN_MODELS.some(
      ([own, other, what]) =>
        modelOf(from) === own && modelOf(to) === other && (what !== 'tables' || to.endsWith(`/${other}-tables.ts`)),
    );
  expect(across.filter((one) => !isBetween(one)).map(show)).toEqual([]);
});

/** A chain of arrows from a node back to itself; null if there is none. */
function circleIn(arrows: readonly { from: string; to: string }[]): string[] | null {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const done = new Set<string>();
  const follow = (node: string, chain: readonly string[]): string[] | null => {
    if (chain.includes(node)) return [...chain.slice(chain.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const { to } of next.get(node) ?? []) {
      const found = follow(to, [...chain, node]);
      if (found) return found;
    }
    done.add(node);
    return null;
  };
  for (const node of next.keys()) {
    const found = follow(node, []);
    if (found) return found;
  }
  return null;
}

test('no circle of imports between files, types included', () => {
  expect(
    circleIn([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]),
  ).toEqual(['a', 'b', 'a']);
  expect(circleIn(IMPORTS)).toBeNull();
});

test.each([2, 3, 4])('no circle of imports between folders, down to level %s', (level) => {
  const folderOf = (file: string) => path.dirname(file).split('/').slice(0, level).join('/');
  const folders = IMPORTS.map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }));
  const across = folders.filter(({ from, to }) => from !== to);
  expect(across.length).toBeGreaterThan(1000);
  expect(circleIn(across)).toBeNull();
});

test('the catalog reads its own files and no raw file', () => {
  const reads: string[] = [];
  for (const file of sourceFiles('pipeline/catalog'))
    visitNodes(file, ({ source }) => {
      if (/^node:fs/.test(String((source as { value?: unknown } | null | undefined)?.value))) reads.push(file);
    });
  expect(reads).toEqual(['pipeline/catalog/country.ts']);
  const ofEngine = IMPORTS.filter(
    ({ from, to }) => roomOf(from) === 'pipeline/catalog' && to.endsWith('/raw-files.ts'),
  );
  expect(ofEngine.map(show)).toEqual([]);
});

test('the modules that everybody imports import nothing of ours', () => {
  for (const file of ['pipeline/lib/bad-input.ts', 'pipeline/lib/errors.ts']) expect(importsOf(file), file).toEqual([]);
});

const withoutCast = (node: Node): Node =>
  /^TS(As|Satisfies)Expression$/.test(node.type) ? withoutCast(node.expression as Node) : node;
const LITERALS = ['ObjectExpression', 'ArrayExpression'];

test('no object literal spreads an object literal, and no list a list: the properties are written out', () => {
  const found: string[] = [];
  for (const file of sourceFiles('pipeline', 'proxy', 'test'))
    visitNodes(file, ({ type, argument }) => {
      if (type === 'SpreadElement' && LITERALS.includes(withoutCast(argument as Node).type)) found.push(file);
    });
  expect(found).toEqual([]);
});

test('a docstring names parameters that its function has', () => {
  const strangers = sourceFiles('pipeline', 'proxy').flatMap((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap((comment) => {
      const declaration = text.slice(comment.index + comment[0].length).split(/\n\s*\n/)[0]!;
      return [...comment[0].matchAll(/@param (\w+)/g)]
        .filter(([, name]) => !new RegExp(`\\b${name}\\b`).test(declaration))
        .map(([, name]) => `${file}: @param ${name}`);
    });
  });
  expect(strangers).toEqual([]);
});
