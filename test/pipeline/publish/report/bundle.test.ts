import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { moduleCodeHashes } from '../../../../pipeline/engine/code-hashes.ts';
import { ROOT } from '../../../../pipeline/lib/packed.ts';
import { bundle, bundlePage } from '../../../../pipeline/publish/report/bundle.ts';
import { SNAPSHOT } from '../../../../pipeline/stages.ts';

const MAIN = 'pipeline/publish/report/page/main.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'modules-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const bundleOf = async (files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return (await bundle(path.join(folder, 'main.ts'))).code;
};

test('modules become one script without types, each with its own scope', async () => {
  const code = await bundleOf({
    'main.ts':
      "import { b } from './b.ts';\nimport {\n  a as one,\n} from './a.ts';\nconst f = 2;\nresult(one() + b + f);\n",
    'a.ts': 'const f: number = 1;\nexport function a() {\n  return f;\n}\n',
    'b.ts': "import type { T } from './none.ts';\nimport { a } from './a.ts';\nexport const b = (a() as number) + 1;\n",
  });
  let result = 0;
  runInNewContext(code, {
    result: (value: number) => {
      result = value;
    },
  });
  expect(result).toBe(5);
});

test('a package that is not installed, a missing file and a missing export are refused', async () => {
  await expect(bundleOf({ 'main.ts': "import { a } from 'not-installed';\na();\n" })).rejects.toThrow(/not-installed/);
  await expect(bundleOf({ 'main.ts': "import { a } from './none.ts';\na();\n" })).rejects.toThrow(/none\.ts/);
  await expect(
    bundleOf({ 'main.ts': "import { b } from './a.ts';\nb();\n", 'a.ts': 'export const a = 1;\n' }),
  ).rejects.toThrow(/"b" is not exported/);
});

test.each(['report', 'annex'] as const)(
  'the %s has one script, with the licences of the packages in it',
  async (page) => {
    const script = await bundlePage(page);
    expect(script).not.toMatch(/<\/script/);
    const [licences, code] = script.split('*/\n', 2) as [string, string];
    expect(code).not.toMatch(/\bimport\b|\brequire\(/);
    for (const name of ['@observablehq/plot', 'd3-array', 'd3-scale', 'd3-selection']) expect(licences).toContain(name);
    expect(licences.match(/Copyright/g)!.length).toBeGreaterThan(3);
  },
);

test("the page's script is the same wherever the sources lie", async () => {
  for (const file of Object.keys(moduleCodeHashes(MAIN)))
    cpSync(path.join(ROOT, file), path.join(folder, 'deeper', file));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const { code } = await bundle(path.join(folder, 'deeper', MAIN));
  expect(code).toBe((await bundle(path.join(ROOT, MAIN))).code);
});

test('the page is code of the snapshot', () => {
  expect(Object.keys(moduleCodeHashes(SNAPSHOT.module))).toEqual(
    expect.arrayContaining(Object.keys(moduleCodeHashes(MAIN))),
  );
});

test("the page's scripts pass the type check for browsers", () => {
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '--noEmit', '-p', path.join(ROOT, 'pipeline/publish/report/page')], {
    stdio: 'pipe',
  });
});
