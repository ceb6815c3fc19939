import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { joinModules, pageParts } from '../../../../pipeline/publish/report/bundle.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'modules-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const write = (files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return path.join(folder, 'main.ts');
};

test('each module appears once, after those that it imports, without types', () => {
  const main = write({
    'main.ts': "import { b } from './b.ts';\nimport {\n  a,\n} from './a.ts';\nresult = a + b;\n",
    'a.ts': 'export const a: number = 1;\n',
    'b.ts': "import type { T } from './none.ts';\nimport { a } from './a.ts';\nexport const b = (a as number) + 1;\n",
  });
  expect(runInNewContext(`let result; ${joinModules(main)}; result`)).toBe(3);
});

test('each module has its own scope; its exports are visible to the page', () => {
  const main = write({
    'main.ts': "import { a } from './a.ts';\nconst f = 2;\nresult = a() + f;\n",
    'a.ts': 'const f = 1;\nexport function a() {\n  return f;\n}\n',
  });
  expect(runInNewContext(`let result; ${joinModules(main)}; result`)).toBe(3);
});

test('names exported twice, imports of packages and renamed imports are refused', () => {
  expect(() =>
    joinModules(
      write({
        'main.ts': "import { a } from './a.ts';\nexport function f() {}\na();\n",
        'a.ts': 'export function a() {}\nexport function f() {}\n',
      }),
    ),
  ).toThrow(/'f' has already been declared/);
  expect(() => joinModules(write({ 'main.ts': "import { a } from 'd3';\n" }))).toThrow(
    /main\.ts: found import .* from 'd3'.*, expected an import of names from a file/,
  );
  expect(() =>
    joinModules(write({ 'main.ts': "import { a as b } from './a.ts';\n", 'a.ts': 'export const a = 1;\n' })),
  ).toThrow(/expected an import of names from a file/);
});

test('the page consists of the libraries and its own script, the same in every call', () => {
  const { scripts, licences } = pageParts();
  expect(scripts.map(({ type }) => type)).toEqual([null, null, 'module']);
  expect(licences.map(({ name }) => name)).toEqual(['D3', 'Observable Plot']);
  expect(pageParts().scripts).toEqual(scripts);
});

test("the page's scripts pass the type check for browsers", () => {
  const root = path.resolve(import.meta.dirname, '../../../..');
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '--noEmit', '-p', path.join(root, 'pipeline/publish/report/page')], {
    stdio: 'pipe',
  });
});
