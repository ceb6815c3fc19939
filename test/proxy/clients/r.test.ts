/** The R client, the README's example and the map against running proxies. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { temporary } from '../../support/command-line.ts';
import { atEndOfSuite } from '../../support/proxy/service.ts';
import { HAS_R, TITLE_WITHOUT_R } from './languages.ts';
import { OWN_CSV, ofVersion, readmeExample, type Setting, startSetting, writeClients } from './setting.ts';

const run = promisify(execFile);
const testR = (title: string, work: () => Promise<void>) => test.skipIf(!HAS_R)(title + TITLE_WITHOUT_R, work);

let setting: Setting;
let clients = '';
let library = '';
const atEnd = atEndOfSuite();
beforeAll(async () => {
  if (!HAS_R) return;
  clients = await writeClients();
  library = temporary();
  await run('R', ['CMD', 'INSTALL', '-l', library, path.join(clients, 'r')]);
  setting = await startSetting(inject('builtTiny'), atEnd);
});

/** Runs R in the C locale, in which it does not recognise letters with accents. */
const r = (script: string, args: string[] = [], more: Record<string, string> = {}) => {
  const { PATH = '', HOME = '' } = process.env;
  const own = { PATH, HOME, R_LIBS: library, LC_ALL: 'C' };
  return run('Rscript', [script, ...args], { cwd: temporary(), env: { ...own, ...more }, timeout: 100_000 });
};

testR('the checks in checks.R pass', async () => {
  const output = await r(path.join(import.meta.dirname, 'checks.R'), [], setting.env).catch((error) => error);
  expect(output.stdout, output.stderr).toMatch(/\d checks hold\n$/);
  const { seen } = setting;
  for (const fault of ['limited-long', 'moved']) expect(seen[fault]).toHaveLength(1);
  expect(seen.zeros).toHaveLength(4);
  const version = path.basename(seen.pass![1]!.path.replace('/places', ''));
  expect(seen.pass!.map(({ path: sent }) => sent)).toEqual(ofVersion(version));
  expect(seen.pass![0]!.agent).toMatch(/^malaria-risk-r\/\d/);
});

testR('the README’s example runs', async () => {
  const folder = temporary();
  const [script, own] = [path.join(folder, 'example.R'), path.join(folder, 'own.csv')];
  writeFileSync(own, OWN_CSV);
  const text = readmeExample(clients, 'r', setting.env.URL!).replace('own.csv', own);
  const show = 'cat(nrow(history) > 4, nrow(scores), joined$lga_code, !is.na(joined$score), "\\n")';
  writeFileSync(script, `${text}${show}\n`);
  const { stdout } = await r(script, [], { MALARIA_API_KEY: setting.env.KEY! });
  expect(stdout).toMatch(/TRUE 4 NG001001 NG001002 NA TRUE TRUE FALSE \n$/);
});

testR('example: a map', async () => {
  const out = path.join(temporary(), 'map.pdf');
  const script = path.join(clients, 'r/examples/national_map.R');
  const { stdout } = await r(script, [setting.env.URL!, out], { MALARIA_API_KEY: setting.env.KEY! });
  expect(stdout).toMatch(/^4 areas, 2021-12, tiny-/m);
  expect(readFileSync(out).subarray(0, 4).toString()).toBe('%PDF');
});
