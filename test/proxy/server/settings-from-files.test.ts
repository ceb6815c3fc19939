import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { settingsFromFiles } from '../../../proxy/server/settings-from-files.ts';
import { runHere } from '../../support/proxy/cli-process.ts';
import { createStore } from '../../support/proxy/open-store.ts';

let folder: string;
let store: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'malaria-settings-'));
  store = join(folder, 'store');
  writeFileSync(store, `sqlite:${join(folder, 'proxy.sqlite')}\n`);
  return () => rmSync(folder, { recursive: true });
});
const storeUrl = () => `sqlite:${join(folder, 'proxy.sqlite')}`;

test('a setting is read from the file that a variable names, or from a credential', () => {
  mkdirSync(join(folder, 'credentials'));
  writeFileSync(join(folder, 'credentials', 'MALARIA_MAIL'), 'smtp://me:secret@example.org\r\n');
  writeFileSync(join(folder, 'credentials', 'something-else'), 'x');
  const env = { MALARIA_STORE_FILE: store, CREDENTIALS_DIRECTORY: join(folder, 'credentials'), MALARIA_STORE: '' };
  expect(settingsFromFiles(env)).toEqual({ MALARIA_STORE: storeUrl(), MALARIA_MAIL: 'smtp://me:secret@example.org' });
  expect(settingsFromFiles({ HOME: '/', AWS_SHARED_CREDENTIALS_FILE: '/nowhere', MALARIA_MAIL_FILE: '' })).toEqual({});
});

test('commands use settings from files, and leave none of them in the environment', async () => {
  await createStore(storeUrl());
  const { code, stderr } = await runHere(['accounts', 'create-organisation', 'ministry'], {
    MALARIA_STORE_FILE: store,
  });
  expect([code, stderr, process.env.MALARIA_STORE]).toEqual([0, '', undefined]);
  expect((await runHere(['accounts', 'list', '--store', storeUrl()])).stdout).toContain('ministry');
});

test('a file that cannot be read, is empty or sets a setting twice is refused in one line, without its contents', async () => {
  const ask = async (env: Record<string, string>) => (await runHere(['accounts', 'list'], env)).stderr;
  expect(await ask({ MALARIA_STORE_FILE: '/nowhere' })).toMatch(
    /^malaria-proxy: MALARIA_STORE_FILE: cannot read \/nowhere: ENOENT.*\n$/,
  );
  expect(await ask({ MALARIA_STORE_FILE: store, MALARIA_STORE: 'sqlite:other' })).toBe(
    `malaria-proxy: MALARIA_STORE is also set by ${store}; set it only once\n`,
  );
  writeFileSync(join(folder, 'MALARIA_STORE'), 'x');
  expect(await ask({ MALARIA_STORE_FILE: store, CREDENTIALS_DIRECTORY: folder })).toContain('set it only once');
  writeFileSync(store, '\n');
  expect(await ask({ MALARIA_STORE_FILE: store })).toBe(`malaria-proxy: MALARIA_STORE_FILE: ${store} is empty\n`);
  expect(await ask({ CREDENTIALS_DIRECTORY: '/nowhere' })).toContain('CREDENTIALS_DIRECTORY: cannot read /nowhere');
});
