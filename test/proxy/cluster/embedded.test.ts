/** What only several machines need is not even loaded on one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli, serveCli } from '../cli-process.ts';
import { makeBuild } from '../fixture.ts';

/** Says on standard error what is loaded. */
const HOOK = `
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({
    load(url, context, next) {
      writeSync(2, 'loaded ' + url + '\\n');
      return next(url, context);
    },
  });`;

test('the embedded form loads neither pg nor the client of Redis, nor anything of cluster/', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'malaria-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hook = join(folder, 'hook.mjs');
  writeFileSync(hook, HOOK);
  const { current, store, remove } = makeBuild();
  onTestFinished(remove);
  const env = { NODE_OPTIONS: `--import=${hook}`, MALARIA_STORE: store };
  const listed = await runCli(['accounts', 'list'], env);
  expect(listed.code).toBe(0);
  const mail = ['--mail', `outbox:${folder}/outbox`];
  const serving = await serveCli(['--snapshot', current, '--dashboard-port', '0', ...mail], env);
  expect(await serving.stop()).toBe(0);
  for (const text of [listed.stderr, serving.read().stderr]) {
    expect(text).toMatch(/^loaded .*\/kysely\//m);
    expect(text).not.toMatch(/^loaded .*\/(node_modules\/(pg|@redis)|proxy\/cluster)\//m);
  }
});
