import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { codeFiles } from '../../../pipeline/engine/code.ts';
import { STAGES } from '../../../pipeline/stages.ts';
import { temporary } from '../../command-line.ts';

const FILES = {
  'stage.ts':
    "import { a } from './inner/a.ts';\nimport type { T } from './types.ts';\nexport const run = (x: T) => a(x);\n",
  'inner/a.ts': "// why\nexport { b as a } from '../b.ts';\n",
  'b.ts': "const lazy = () => import('./lazy.ts');\nexport const b = lazy;\n",
  'lazy.ts': "const worker = new URL('./worker.ts', import.meta.url);\nexport default worker;\n",
  'worker.ts': 'export {};\n',
  'types.ts': 'export interface T {}\n',
  'other.ts': 'export {};\n',
};

/** Each call makes a new directory: what was read of a file stays read in one process. */
function hashes(change: Partial<Record<keyof typeof FILES, string>> = {}) {
  const root = temporary();
  for (const [name, text] of Object.entries({ ...FILES, ...change })) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return codeFiles('stage.ts', root);
}

test('a stage is its module and whatever that names, types aside', () => {
  expect(Object.keys(hashes())).toEqual(['b.ts', 'inner/a.ts', 'lazy.ts', 'stage.ts', 'worker.ts']);
});

test('comments and layout change nothing, code does', () => {
  const before = hashes();
  expect(hashes({ 'inner/a.ts': "/* because */\nexport {\n  b as a,\n} from '../b.ts';\n" })).toEqual(before);
  expect(hashes({ 'types.ts': 'export interface T { a: 1 }\n' })).toEqual(before);
  const after = hashes({ 'worker.ts': 'export { };\nconsole.log(1);\n' });
  expect(Object.keys(after).filter((name) => after[name] !== before[name as keyof typeof before])).toEqual([
    'worker.ts',
  ]);
});

test('what a file begins to import counts from then on', () => {
  expect(Object.keys(hashes({ 'worker.ts': "import './other.ts';\n" }))).toContain('other.ts');
});

test('the stages of the table have their own code, and nothing of what runs them', () => {
  const others = ['pipeline/engine/run.ts', 'pipeline/engine/cache.ts', 'pipeline/artifacts.ts', 'pipeline/stages.ts'];
  for (const { name, module } of STAGES) {
    const files = Object.keys(codeFiles(module));
    expect(files).toContain(module);
    expect(
      files.filter((file) => others.includes(file)),
      name,
    ).toEqual([]);
  }
});
