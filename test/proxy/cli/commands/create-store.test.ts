/** A store is made on purpose only: a wrong address must not look like a service without keys. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BACKENDS, rowsIn } from '../../../support/proxy/backends.ts';
import { runHere, serveCli } from '../../../support/proxy/cli-process.ts';
import { makeBuild } from '../../../support/proxy/fixture.ts';

const TABLES = {
  SQLite: 'SELECT name FROM sqlite_schema',
  PostgreSQL: "SELECT 1 FROM pg_tables WHERE schemaname = 'public'",
};
const PORTS = ['--port', '0', '--ops-port', '0'];

test.each(BACKENDS.filter(({ skip }) => !skip))(
  'only create-store makes a store: $name',
  async ({ name, newStore }) => {
    const { store } = await newStore();
    const { build, current, remove } = makeBuild();
    onTestFinished(remove);
    const env = { MALARIA_STORE: store };
    for (const args of [
      ['keys', 'list'],
      ['keys', 'revoke', 'key_1'],
      ['accounts', 'list'],
      ['accounts', 'create-organisation', 'ministry'],
      ['accounts', 'suspend', 'Nobody'],
      ['serve', '--snapshot', current, ...PORTS],
      ...(name === 'SQLite' ? [['backup', join(build, 'saved')]] : []),
    ]) {
      const { code, stdout, stderr } = await runHere(args, env);
      const address = name === 'SQLite' ? store.replace('sqlite:', '') : 'postgres://…';
      expect([args, code, stdout, stderr]).toEqual([
        args,
        2,
        '',
        `malaria-proxy: no store at ${address}: give its address in --store or MALARIA_STORE, or make one there with malaria-proxy create-store\n`,
      ]);
    }
    if (name === 'SQLite') expect(existsSync(store.replace('sqlite:', ''))).toBe(false);
    else expect(await rowsIn(store, TABLES.PostgreSQL)).toEqual([]);
    expect(existsSync(join(build, 'saved'))).toBe(false);

    for (const accounts of ['no', '1']) {
      expect(await runHere(['create-store'], env)).toEqual({
        code: 0,
        stdout: `the store is ready; it has ${accounts} accounts\n`,
        stderr: '',
      });
      await runHere(['accounts', 'create-organisation', 'ministry'], env);
    }
    expect((await runHere(['accounts', 'list'], env)).stdout).toContain('ministry');
  },
);

test('an empty file is no store either, and serve --first-key makes one', async () => {
  const { build, current, store, remove } = makeBuild();
  onTestFinished(remove);
  const empty = join(build, 'empty');
  writeFileSync(empty, '');
  const { code, stderr } = await runHere(['accounts', 'list', '--store', `sqlite:${empty}`]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`no store at ${empty}: `)]);
  expect([readFileSync(empty).length, readdirSync(build).filter((name) => name.startsWith('empty'))]).toEqual([
    0,
    ['empty'],
  ]);
  const serving = await serveCli(['--snapshot', current, '--store', store, '--first-key']);
  expect((await fetch(`${serving.url}/v1/periods`, { headers: { 'x-api-key': serving.key! } })).status).toBe(200);
});
