import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { changedCodeFile, moduleCodeHashes } from '../../../pipeline/engine/code-hashes.ts';
import { ROOT } from '../../../pipeline/lib/packed.ts';
import { SNAPSHOT, STAGES } from '../../../pipeline/stages.ts';
import { temporary } from '../../support/command-line.ts';

const MODULES = [...STAGES, SNAPSHOT].map(({ module }) => module);
const FILES = {
  'package-lock.json': '{ "lockfileVersion": 3 }',
  'stage.ts':
    "import { a } from './inner/a.ts';\nimport type {\n  T,\n} from './types.ts';\nexport const run = (x: T) => a(x);\n",
  'inner/a.ts': "// why\nexport { b as a } from '../b.ts';\n",
  'b.ts': "export type * from './types.ts';\nconst lazy = () => import('./lazy.ts');\nexport const b = lazy;\n",
  'lazy.ts': "const worker = new URL('./worker.ts', import.meta.url);\nexport default worker;\n",
  'worker.ts': "import { read } from 'reader/lib.js';\nread('../up');\n",
  'types.ts': 'export interface T {}\n',
  'other.ts': 'export {};\n',
};
type Name = keyof typeof FILES;

/** The code of `stage.ts` with some files changed, in a new directory, because files are read only once. */
function codeWith(change: Partial<Record<Name, string>> = {}) {
  const root = temporary();
  for (const [name, text] of Object.entries({ ...FILES, ...change })) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return moduleCodeHashes('stage.ts', root);
}

describe('files', () => {
  const before = codeWith();

  test('a module is its own file, every file that it names, except for types, and the lock file', () => {
    const names = ['b.ts', 'inner/a.ts', 'lazy.ts', 'package-lock.json', 'stage.ts', 'worker.ts'];
    expect(Object.keys(before)).toEqual(names);
  });

  test.each<[string, Name, string]>([
    ['a type-only import', 'types.ts', 'export interface T { a: 1 }\n'],
    ['a file that nothing imports', 'other.ts', 'export default 1;\n'],
  ])('%s does not count', (_, name, text) => expect(codeWith({ [name]: text })).toEqual(before));

  test.each<[string, Name, string]>([
    ['a statement', 'worker.ts', `${FILES['worker.ts']}console.error(1);\n`],
    ['a comment', 'inner/a.ts', `// because\n${FILES['inner/a.ts']}`],
    ['a package', 'package-lock.json', '{ "lockfileVersion": 3, "packages": {} }'],
  ])('%s counts, for its file alone', (_, name, text) => {
    const files = codeWith({ [name]: text });
    expect(Object.keys(files).filter((file) => files[file] !== before[file])).toEqual([name]);
  });

  test('a new import counts', () => {
    expect(codeWith({ 'worker.ts': "import './other.ts';\n" })).toHaveProperty(['other.ts']);
  });

  test('a clone below directories with dots in their names, as mktemp makes them, has the same code', () => {
    const clone = path.join(temporary(), 'tmp.abc', 'clone.d');
    for (const name of ['package-lock.json', 'pipeline'])
      cpSync(path.join(ROOT, name), path.join(clone, name), { recursive: true });
    for (const module of MODULES) {
      const code = moduleCodeHashes(module, clone);
      expect(code).toEqual(moduleCodeHashes(module));
      expect(changedCodeFile(code, clone)).toBeNull();
    }
  });
});

describe('the stages of the table', () => {
  test('have their own code, but not the code that runs them', () => {
    const others = [
      'pipeline/engine/run-stages.ts',
      'pipeline/engine/cache.ts',
      'pipeline/engine/plan.ts',
      'pipeline/stages.ts',
    ];
    for (const { module } of STAGES) {
      const files = Object.keys(moduleCodeHashes(module));
      expect(files).toContain(module);
      expect(files.filter((file) => others.includes(file))).toEqual([]);
    }
  });
});

test('all imports of every file of the pipeline are found', () => {
  const names = readdirSync(path.join(ROOT, 'pipeline'), { recursive: true }).map((name) => `pipeline/${name}`);
  // Examples of the client are for users, beside the client that is compiled for them.
  for (const name of names.filter((file) => /(?<!\.d)\.ts$/.test(file) && !file.includes('/clients/ts/examples/'))) {
    // As Node loads it: without types and type-only imports.
    const code = stripTypeScriptTypes(readFileSync(path.join(ROOT, name), 'utf8'));
    const files = moduleCodeHashes(name);
    for (const [, target] of code.matchAll(/^(?:import|export)\b[^;'"`(]*?\bfrom '(\.[^']+)';$/gm))
      expect(files, name).toHaveProperty([path.join(path.dirname(name), target!)], expect.any(String));
  }
});
