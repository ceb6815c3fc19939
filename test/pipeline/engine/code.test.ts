import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import jsTokens from 'js-tokens';
import { describe, expect, test } from 'vitest';
import { changedFile, codeOf } from '../../../pipeline/engine/code.ts';
import { ROOT } from '../../../pipeline/lib/packed.ts';
import { SNAPSHOT, STAGES } from '../../../pipeline/stages.ts';
import { temporary } from '../../support/command-line.ts';

const MODULES = [...STAGES, SNAPSHOT].map(({ module }) => module);
const FILES = {
  'package-lock.json': JSON.stringify({
    packages: {
      '': { dependencies: { reader: '^1.0.0', '@scope/mail': '^3.0.0', unused: '*' } },
      'node_modules/reader': { version: '1.0.0', integrity: 'r', dependencies: { deep: '*', shared: '^1.0.0' } },
      'node_modules/reader/node_modules/shared': { version: '1.5.0', integrity: 's1' },
      'node_modules/shared': { version: '2.5.0', integrity: 's2' },
      'node_modules/deep': { version: '0.1.0', integrity: 'd', optionalDependencies: { shared: '*', absent: '*' } },
      'node_modules/@scope/mail': { version: '3.0.0', integrity: 'm', dependencies: { reader: '*' } },
      'node_modules/unused': { version: '9.0.0', integrity: 'u' },
    },
  }),
  'stage.ts':
    "import { a } from './inner/a.ts';\nimport type { T } from './types.ts';\nexport const run = (x: T) => a(x);\n",
  'inner/a.ts': "// why\nexport { b as a } from '../b.ts';\n",
  'b.ts': "const lazy = () => import('./lazy.ts');\nexport const b = lazy;\n",
  'lazy.ts': "const worker = new URL('./worker.ts', import.meta.url);\nexport default worker;\n",
  'worker.ts': "import { read } from 'reader/lib.js';\nread('../up');\n",
  'types.ts': "import '@scope/mail';\nexport interface T {}\n",
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
  return codeOf('stage.ts', root);
}
const withLock = (from: string, to: string) => {
  expect(FILES['package-lock.json']).toContain(from);
  return codeWith({ 'package-lock.json': FILES['package-lock.json'].replace(from, to) });
};

describe('files', () => {
  const before = codeWith();

  test('a module is its own file and every file that it names, except for types', () => {
    expect(Object.keys(before.files)).toEqual(['b.ts', 'inner/a.ts', 'lazy.ts', 'stage.ts', 'worker.ts']);
  });

  test.each<[string, Name, string]>([
    ['a comment', 'inner/a.ts', "/* because */ export { b as a } /* it */ from '../b.ts'; // is\n"],
    ['a comment on lines of its own', 'b.ts', FILES['b.ts'].replace('\n', '\n\n/*\n * Now.\n */\n\n')],
    ['indentation', 'worker.ts', FILES['worker.ts'].replace('read(', '  read( ')],
    ['a type-only import', 'types.ts', 'export interface T { a: 1 }\n'],
    ['a file that nothing imports', 'other.ts', 'export default 1;\n'],
  ])('%s does not count', (_, name, text) => expect(codeWith({ [name]: text })).toEqual(before));

  test.each<[string, Name, string]>([
    ['a statement', 'worker.ts', `${FILES['worker.ts']}console.error(1);\n`],
    ['the end of a line', 'b.ts', FILES['b.ts'].replace('=> import', '=>\nimport')],
    ['whitespace in a string', 'worker.ts', FILES['worker.ts'].replace('../up', '../ up')],
    ['text like a comment in a template', 'worker.ts', `${FILES['worker.ts']}read(\`a // \${1} b\`);\n`],
  ])('%s counts, for its file alone', (_, name, text) => {
    const { files } = codeWith({ [name]: text });
    expect(Object.keys(files).filter((file) => files[file] !== before.files[file])).toEqual([name]);
  });

  test('a new import counts', () => {
    expect(codeWith({ 'worker.ts': "import './other.ts';\n" }).files).toHaveProperty(['other.ts']);
  });

  test('a clone below directories with dots in their names, as mktemp makes them, has the same code', () => {
    const clone = path.join(temporary(), 'tmp.abc', 'clone.d');
    for (const name of ['package-lock.json', 'pipeline'])
      cpSync(path.join(ROOT, name), path.join(clone, name), { recursive: true });
    for (const module of MODULES) {
      const code = codeOf(module, clone);
      expect(code).toEqual(codeOf(module));
      expect(changedFile(code.files, clone)).toBeNull();
    }
  });
});

describe('packages', () => {
  const before = codeWith();

  test('a package counts if a file imports it or a part of it', () => {
    expect(before.packages).toEqual({ reader: expect.stringMatching(/^1\.0\.0 [0-9a-f]{64}$/) });
  });

  test.each([
    ['its version', '"1.0.0","integrity":"r"', '"1.0.1","integrity":"r"'],
    ['its content', '"integrity":"r"', '"integrity":"R"'],
    ['a package that it depends on', '"integrity":"d"', '"integrity":"D"'],
    ['an indirect dependency, where Node finds it', '"integrity":"s2"', '"integrity":"S"'],
    ['its own copy of a dependency', '"integrity":"s1"', '"integrity":"S"'],
  ])('a change of %s counts', (_, from, to) => {
    expect(withLock(from, to).packages.reader).not.toBe(before.packages.reader);
  });

  test.each([
    ['a package that no file imports', '"integrity":"u"', '"integrity":"U"'],
    ['a package that only types import', '"integrity":"m"', '"integrity":"M"'],
    ['an allowed range of versions', '"reader":"^1.0.0"', '"reader":"^1"'],
  ])('a change of %s does not count', (_, from, to) => expect(withLock(from, to)).toEqual(before));
});

describe('the stages of the table', () => {
  test('have their own code, but not the code that runs them', () => {
    const others = [
      'pipeline/engine/run.ts',
      'pipeline/engine/cache.ts',
      'pipeline/engine/plan.ts',
      'pipeline/stages.ts',
    ];
    for (const { module } of STAGES) {
      const files = Object.keys(codeOf(module).files);
      expect(files).toContain(module);
      expect(files.filter((file) => others.includes(file))).toEqual([]);
    }
  });

  test('depend on the packages that they load, and on no others', () => {
    const loading = (name: string) =>
      [...STAGES, SNAPSHOT].filter(({ module }) => name in codeOf(module).packages).map((stage) => stage.name);
    expect(loading('geotiff')).toEqual(['zonal']);
    expect(loading('@duckdb/node-api')).toEqual(['ingest', 'snapshot']);
    expect(loading('d3')).toEqual(['snapshot']);
    for (const name of ['nodemailer', 'fastify', 'commander', 'pg']) expect(loading(name)).toEqual([]);
  });
});

test('all imports of every file of the pipeline are found, and strings and templates are read correctly', () => {
  const names = readdirSync(path.join(ROOT, 'pipeline'), { recursive: true }).map((name) => `pipeline/${name}`);
  for (const name of names.filter((file) => /(?<!\.d)\.ts$/.test(file))) {
    const text = readFileSync(path.join(ROOT, name), 'utf8');
    const broken = [...jsTokens(text)].filter(
      (token) => !/Regular/.test(token.type) && 'closed' in token && !token.closed,
    );
    expect(broken, name).toEqual([]);
    const { files, packages } = codeOf(name);
    // As Node loads it: without types and type-only imports.
    const imports = [...stripTypeScriptTypes(text).matchAll(/^(?:import|export)\b[^;'"`(]*?\bfrom '([^']+)';$/gm)];
    for (const [, target] of imports.filter(([, from]) => !from!.startsWith('node:')))
      if (target!.startsWith('.'))
        expect(files, name).toHaveProperty([path.join(path.dirname(name), target!)], expect.any(String));
      else
        expect(
          Object.keys(packages).some((known) => `${target}/`.startsWith(`${known}/`)),
          `${name} ${target}`,
        ).toBe(true);
  }
});
