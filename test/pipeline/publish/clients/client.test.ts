import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ERRORS } from '../../../../pipeline/contract/errors.ts';
import { buildOpenapi } from '../../../../pipeline/contract/openapi.ts';
import { JSON_OPERATIONS, OPERATIONS } from '../../../../pipeline/contract/operations.ts';
import { describeApi } from '../../../../pipeline/contract/reference.ts';
import type { Territory } from '../../../../pipeline/contract/territory.ts';
import { renderApiPage } from '../../../../pipeline/publish/clients/api-page.ts';
import { clientFiles } from '../../../../pipeline/publish/clients/files.ts';
import { schemaType } from '../../../../pipeline/publish/clients/generate-types.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';
import { nigerianIn } from '../../../support/nigerian.ts';
import { OTHER } from '../../../support/other-country.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const EXAMPLE = { state: '07', lga: '1201', period: '2021-12' };
/** A country's clients, with the examples of another. */
const clientsOf = (territory: Territory) =>
  clientFiles(territory, describeApi(buildOpenapi('tiny-1-00000000', territory), []), EXAMPLE);
let root = '';
let folder = '';
beforeAll(async () => {
  // Inside the checkout, so that Node's types are found as a consumer would have them.
  mkdirSync(path.join(ROOT, 'build'), { recursive: true });
  root = mkdtempSync(path.join(ROOT, 'build/client-test-'));
  folder = write('nigeria', await clientsOf(TERRITORY));
  return () => rmSync(root, { recursive: true, force: true });
});

/** Writes a country's clients. @returns the folder of the TypeScript client */
function write(country: string, files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, country, name)), { recursive: true });
    writeFileSync(path.join(root, country, name), text);
  }
  return path.join(root, country, 'ts');
}

/** The compiler's errors for the client in `at` together with the file `use`. */
function compile(use: string, at = folder): string {
  writeFileSync(path.join(at, 'use.ts'), use);
  const options = [
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--target',
    'esnext',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--skipLibCheck',
    '--erasableSyntaxOnly',
  ];
  const files = ['use.ts', ...globSync('**/*.ts', { cwd: at })].map((name) => path.join(at, name));
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
  "import { createClient } from './malaria-risk.js';\nconst { get, file } = await createClient({ base: 'http://localhost', key: 'k' });\n";

test('the shipped client and its examples compile', () => {
  expect(
    compile(
      `${head}const { lgas } = await get('/v1/risk/lgas', { state: 'KN' });\nconst score: number | undefined = lgas[0]?.score;\nexport { score };\n`,
    ),
  ).toBe('');
});

test('a wrong path, a missing parameter and a wrong field do not compile', () => {
  const faults = compile(
    `${head}await get('/v1/nothing');\nawait get('/v1/risk/lgas', { state: 'KN', month: 5 });\n(await get('/v1/risk/states')).lgas;
await get('/v1/risk/lgas');\nawait get('/v1/series/lgas', {});\nawait file('/v1/tables/nothing.csv');\n`,
  );
  expect(faults.match(/error TS/g)).toHaveLength(6);
});

test('another country’s client compiles too; its README uses its own words, its programs are the same', async () => {
  const files = await clientsOf(OTHER);
  expect(compile(`${head}await get('/v1/risk/lgas', { state: '07' });\n`, write('other', files))).toBe('');
  const nigerian = Object.entries(files).flatMap(([name, text]) => (nigerianIn(text) ? [name] : []));
  expect(nigerian).toEqual([]);
  const programs = (all: Record<string, string>) =>
    Object.entries(all).filter(([name]) => !/README|types\.d\.ts$/.test(name));
  expect(programs(files)).toEqual(programs(await clientsOf(TERRITORY)));
  expect(files['README.md']).toContain('period="2021-12").json()');
  expect(files['README.md']).toContain('# every commune of the nation');
});

test('all files of the clients are shipped, with the same bytes every time', async () => {
  const clients = path.join(ROOT, 'pipeline/publish/clients');
  const left = (name: string) => /__pycache__|egg-info|^build$/.test(name);
  const own = globSync('{python,r,ts}/**/*.*', { cwd: clients, exclude: left }).sort();
  const files = await clientsOf(TERRITORY);
  expect(Object.keys(files)).toEqual(expect.arrayContaining(own.filter((name) => name !== 'ts/malaria-risk.ts')));
  expect(await clientsOf(TERRITORY)).toEqual(files);
});

test('schemas become TypeScript types', () => {
  expect(schemaType({ type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] } })).toBe(
    '(number | null)[]',
  );
  expect(
    schemaType({ type: 'object', properties: { a: { const: 'x' }, b: { type: 'integer' } }, required: ['a'] }),
  ).toBe('{\n  a: "x";\n  b?: number;\n}');
  const odd = { 'first-month': { type: 'string', description: 'Ends */ here' } };
  expect(schemaType({ type: 'object', properties: odd, required: ['first-month'] })).toBe(
    '{\n  /** Ends *\\/ here */\n  "first-month": string;\n}',
  );
  expect(() => schemaType({ type: 'date' })).toThrow(/type date/);
});

test('the reference lists every operation and every error', () => {
  const page = renderApiPage(describeApi(buildOpenapi('tiny-1-00000000', TERRITORY), []));
  for (const { id, path: route } of JSON_OPERATIONS)
    expect(page).toContain(`<section id="${id}" tabindex="-1" data-path="${route}"`);
  for (const { path: route } of OPERATIONS) expect(page).toContain(`<code>GET ${route}</code>`);
  for (const code of Object.keys(ERRORS).filter((name) => !['NOT_FOUND', 'METHOD_NOT_ALLOWED'].includes(name)))
    expect(page).toContain(code);
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toContain('undefined');
});
