import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ERRORS } from '../../../../pipeline/contract/errors.ts';
import { buildOpenapi } from '../../../../pipeline/contract/openapi.ts';
import { JSON_OPERATIONS, OPERATIONS } from '../../../../pipeline/contract/operations.ts';
import { renderApiPage } from '../../../../pipeline/publish/clients/api-page.ts';
import { clientFiles } from '../../../../pipeline/publish/clients/files.ts';
import { typeOf } from '../../../../pipeline/publish/clients/generate-types.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
let folder = '';
beforeAll(() => {
  // Inside the checkout, so that Node's types are found as a consumer would have them.
  mkdirSync(path.join(ROOT, 'build'), { recursive: true });
  const root = mkdtempSync(path.join(ROOT, 'build/client-test-'));
  for (const [name, text] of Object.entries(clientFiles(TERRITORY))) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  folder = path.join(root, 'ts');
  return () => rmSync(root, { recursive: true, force: true });
});

/** What the compiler says of the shipped files and one more. */
function compile(use: string): string {
  writeFileSync(path.join(folder, 'use.ts'), use);
  const options = [
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--target',
    'esnext',
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
    '--types',
    'node',
    '--skipLibCheck',
    '--erasableSyntaxOnly',
  ];
  const files = ['use.ts', ...globSync('**/*.ts', { cwd: folder })].map((name) => path.join(folder, name));
  try {
    execFileSync(
      process.execPath,
      [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '--ignoreConfig', ...options, ...files],
      { encoding: 'utf8', stdio: 'pipe' },
    );
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
const head =
  "import { createClient } from './malaria-risk.ts';\nconst { get, table } = createClient({ base: 'http://localhost', key: 'k' });\n";

test('the shipped client and its examples are sound TypeScript', () => {
  expect(
    compile(
      `${head}const { lgas } = await get('/v1/risk/lgas', { state: 'KN' });\nconst score: number | undefined = lgas[0]?.score;\nexport { score };\n`,
    ),
  ).toBe('');
});

test('a wrong path, a missing parameter and a wrong field do not compile', () => {
  const faults = compile(
    `${head}await get('/v1/nothing');\nawait get('/v1/forecasts/lgas', { state: 'KN', months: 5 });\n(await get('/v1/risk/states')).lgas;
await get('/v1/risk/lgas');\nawait get('/v1/series/lgas', {});\nawait table('/v1/tables/nothing.csv');\n`,
  );
  expect(faults.match(/error TS/g)).toHaveLength(6);
});

test('everything that lies there is shipped, in the same bytes each time', () => {
  const clients = path.join(ROOT, 'pipeline/publish/clients');
  const left = (name: string) => /__pycache__|egg-info|^build$/.test(name);
  const own = globSync('{python,r,ts}/**/*.*', { cwd: clients, exclude: left }).sort();
  const files = clientFiles(TERRITORY);
  expect(Object.keys(files)).toEqual(expect.arrayContaining(own));
  expect(clientFiles(TERRITORY)).toEqual(files);
});

test('types of schemas', () => {
  expect(typeOf({ type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] } })).toBe('(number | null)[]');
  expect(typeOf({ type: 'object', properties: { a: { const: 'x' }, b: { type: 'integer' } }, required: ['a'] })).toBe(
    "{\n  a: 'x';\n  b?: number;\n}",
  );
  expect(() => typeOf({ type: 'date' })).toThrow(/type date/);
});

test('the reference tells of every operation and every error', () => {
  const page = renderApiPage(buildOpenapi('tiny-1-00000000', TERRITORY));
  for (const { id, path: route } of JSON_OPERATIONS)
    expect(page).toContain(`<section id="${id}"><h2><code>GET ${route}`);
  for (const { path: route } of OPERATIONS) expect(page).toContain(`<code>GET ${route}</code>`);
  for (const code of Object.keys(ERRORS).filter((name) => !['NOT_FOUND', 'METHOD_NOT_ALLOWED'].includes(name)))
    expect(page).toContain(code);
  expect(page).not.toContain('<script');
  expect(page).not.toContain('undefined');
});
