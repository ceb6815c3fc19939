/** Modules that only several machines need are not even loaded on a single one, nor the server by other commands. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BACKENDS } from '../../support/proxy/backends.ts';
import { runCli, serveCli } from '../../support/proxy/cli-process.ts';
import { makeBuild } from '../../support/proxy/fixture.ts';
import { createStore } from '../../support/proxy/open-store.ts';

/** Appends the URL of each module loaded to the file LOADED. */
const HOOK = `
  import { registerHooks } from 'node:module';
  import { appendFileSync } from 'node:fs';
  registerHooks({
    load(url, context, next) {
      appendFileSync(process.env.LOADED, url + '\\n');
      return next(url, context);
    },
  });`;

test.skipIf(BACKENDS[1]!.skip)('with PostgreSQL SQLite is not loaded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'malaria-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hook = join(folder, 'hook.mjs');
  writeFileSync(hook, HOOK);
  const { current, remove } = makeBuild();
  onTestFinished(remove);
  const { store } = await BACKENDS[1]!.newStore();
  await createStore(store);
  const env = { NODE_OPTIONS: `--import=${hook}`, MALARIA_STORE: store, LOADED: join(folder, 'loaded') };
  const serving = await serveCli(
    ['--snapshot', current, '--dashboard-port', '0', '--mail', `outbox:${folder}/outbox`],
    env,
  );
  expect(await serving.stop()).toBe(0);
  const loaded = readFileSync(env.LOADED, 'utf8');
  expect(loaded).toMatch(/proxy\/store\/postgres/);
  expect(loaded).not.toMatch(/proxy\/store\/sqlite|node:sqlite/);
});

test('a single proxy with SQLite loads no client of PostgreSQL or S3', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'malaria-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hook = join(folder, 'hook.mjs');
  writeFileSync(hook, HOOK);
  const { current, store, remove } = makeBuild();
  onTestFinished(remove);
  await createStore(store);
  const [byList, byServe] = [join(folder, 'list'), join(folder, 'serve')];
  const env = { NODE_OPTIONS: `--import=${hook}`, MALARIA_STORE: store };
  const listed = await runCli(['accounts', 'list'], { ...env, LOADED: byList });
  expect(listed.code).toBe(0);
  const args = ['--snapshot', current, '--dashboard-port', '0', '--mail', `outbox:${folder}/outbox`];
  const serving = await serveCli(args, { ...env, LOADED: byServe });
  expect(await serving.stop()).toBe(0);
  expect(readFileSync(byList, 'utf8')).not.toMatch(/\/(node_modules\/fastify|proxy\/(snapshot|api))\//);
  for (const file of [byList, byServe]) {
    const loaded = readFileSync(file, 'utf8');
    expect(loaded).toMatch(/\/kysely\//);
    expect(loaded).not.toMatch(/\/(node_modules\/(pg|@aws-sdk)\/|proxy\/store\/postgres)/);
  }
});
