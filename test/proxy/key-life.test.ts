/** Keys and accounts from creation to removal: the command line changes accounts and keys while a server runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasValidTag, mintKey } from '../../proxy/store/key-format.ts';
import { BACKENDS } from '../support/proxy/backends.ts';
import { type Finished, runCli, runHere } from '../support/proxy/cli-process.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { createStore } from '../support/proxy/open-store.ts';
import { codeOf, type Service, startService } from '../support/proxy/service.ts';

/** Commands on the service's store, as people type them: words separated by spaces. */
async function commandsFor(service: Service, runOne: typeof runHere = runHere) {
  const env = { MALARIA_STORE: service.storeUrl };
  const run = (line: string) => runOne(line.split(' '), env);
  const must = async (line: string): Promise<Finished> => {
    const done = await run(line);
    if (done.code !== 0) throw new Error(`${line}: ${done.stderr}`);
    return done;
  };
  const createKey = async (owner: string, more = ''): Promise<{ id: string; key: string }> =>
    JSON.parse(
      (await must(`keys create --owner ${owner} --name n --kind live --scopes risk_scores --json${more}`)).stdout,
    );
  /** `keys find` with `text` on standard input. */
  const find = (text: string, ...options: string[]) =>
    runCli(['keys', 'find', ...options], env, ['sh', '-c', 'echo " $0" | "$@"', text]);
  const status = async (key: string) => (await service.get('/v1/risk/lgas?state=KN', key)).status;
  return { run, must, createKey, find, status };
}

const backends = BACKENDS.filter((backend) => !backend.skip);

test('keys find reads the key from standard input alone: others can see it on a command line', async () => {
  const service = await startService();
  const { createKey, find, must, run } = await commandsFor(service);
  await must('accounts create-organisation acme');
  const { id, key } = await createKey('acme');
  const match = await find(key, '--json');
  expect([match.code, match.stderr]).toEqual([0, '']);
  expect(JSON.parse(match.stdout)).toMatchObject([{ id }]);
  const refused = await run(`keys find ${key}`);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('`malaria-proxy keys find < FILE`');
  expect(refused.stderr).not.toContain(key);
});

test.each(backends)(
  'while a server runs, commands manage keys and accounts from creation to removal: $name',
  async ({ name, newStore }) => {
    const service = await startService(await newStore());
    // Processes that share a file differ from two clients of a database server.
    const { run, must, createKey, find, status } = await commandsFor(service, name === 'SQLite' ? runCli : runHere);

    expect((await must('accounts create-organisation acme')).stdout).toBe("organisation 'acme' created, active\n");
    const { id, key } = await createKey('acme');
    expect(key).toMatch(/^malaria_live_/);
    expect(await status(key)).toBe(200);

    // It is shown once: no list contains it again.
    const listed = await must('keys list --json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id, owner: 'acme', status: 'active', owner_status: 'active' }]);
    for (const text of [listed.stdout, (await must('keys list')).stdout]) {
      expect(text).toContain(id);
      // Only the first four characters of its secret part are shown.
      expect(text).toContain(`${key.slice(0, 17)}${text.startsWith('[') ? '"' : '…'}`);
    }
    expect((await find(key)).stdout).toMatch(new RegExp(`\n${id} .* acme `));
    const [secret] = await service.store.tagSecrets(Date.now());
    const mistyped = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
    for (const [text, why] of [
      [mistyped, /no such key: it is mistyped, forged/],
      ['nonsense', /has not the form of a key/],
      [mintKey('malaria', 'live', secret!), /no such key: its tag is right/],
    ] as const) {
      const refused = await find(text);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(why)]);
      expect(refused.stderr).not.toContain(text);
    }

    await must('accounts suspend acme');
    expect(await status(key)).toBe(401);
    expect((await run('keys create --owner acme --name n --kind test --scopes forecasts')).code).toBe(2);
    await must('accounts reinstate acme');
    expect(await status(key)).toBe(200);

    await must(`keys revoke ${id}`);
    const refused = await service.get('/v1/risk/lgas?state=KN', key);
    expect([refused.status, refused.headers.get('www-authenticate'), await codeOf(refused)]).toEqual([
      401,
      'Bearer',
      'INVALID_KEY',
    ]);
    expect((await must(`keys revoke ${id}`)).stdout).toContain('was revoked at');
    expect(await status(key)).toBe(401);

    const second = await createKey('acme', ' --brand other');
    expect(second.key).toMatch(/^other_live_/);
    expect(await status(second.key)).toBe(200);
    await must('accounts remove acme');
    expect(await status(second.key)).toBe(401);
    expect((await run('accounts reinstate acme')).code).toBe(2);
    expect((await run('accounts create-organisation acme')).code).toBe(2);
  },
);

test('during a rotation both keys work, and then only the new one', async () => {
  const service = await startService();
  const { run, must, createKey, status } = await commandsFor(service);
  await must('accounts create-organisation acme');
  const old = await createKey('acme');
  const fresh = JSON.parse((await must(`keys rotate ${old.id} --json`)).stdout);
  expect(fresh).toMatchObject({ owner: 'acme', name: 'n', kind: 'live', scopes: ['risk_scores'], status: 'active' });
  expect([fresh.id === old.id, await status(old.key), await status(fresh.key)]).toEqual([false, 200, 200]);
  await must(`keys revoke ${old.id}`);
  expect([await status(old.key), await status(fresh.key)]).toEqual([401, 200]);
  expect(await run('keys rotate key_nope')).toMatchObject({ code: 2, stdout: '' });
});

test('after a change of the secret for tags, keys made before and after work, the former until the stated time', async () => {
  const service = await startService();
  const { run, must, createKey, status } = await commandsFor(service);
  await must('accounts create-organisation acme');
  const old = await createKey('acme');
  const soon = await run(`keys new-tag-secret --until ${new Date(Date.now() + 30_000).toISOString()}`);
  expect([soon.code, soon.stderr]).toEqual([2, expect.stringContaining('at least another minute')]);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const { stdout } = await must(`keys new-tag-secret --until ${until}`);
  expect(stdout).toContain(`all keys made before are refused from ${until} on`);
  const fresh = await createKey('acme');
  expect([await status(old.key), await status(fresh.key)]).toEqual([200, 200]);
  const secrets = await service.store.tagSecrets(Date.parse(until));
  expect([hasValidTag(old.key, secrets), hasValidTag(fresh.key, secrets)]).toEqual([false, true]);
});

test('a researcher cannot have keys until unlocked', async () => {
  const service = await startService();
  const { run, must, createKey } = await commandsFor(service);
  expect((await must('accounts create-researcher ada --json')).stdout).toContain('"status": "locked"');
  const refused = await run('keys create --owner ada --name n --kind live --scopes risk_scores');
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([
    2,
    '',
    "malaria-proxy: no key for 'ada': the account is locked; unlock it first\n",
  ]);
  await must('accounts unlock ada');
  const { key } = await createKey('ada');
  expect((await service.get('/v1/risk/lgas?state=KN', key)).status).toBe(200);
});

test('a key works until its expiry and not longer', async () => {
  const service = await startService();
  const { must, createKey } = await commandsFor(service);
  await must('accounts create-organisation acme');
  const expires = Date.now() + 2500;
  const { key } = await createKey('acme', ` --expires ${new Date(expires).toISOString()}`);
  const before = await service.get('/v1/periods', key);
  if (Date.now() < expires) expect(before.status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, expires - Date.now() + 1));
  expect((await service.get('/v1/periods', key)).status).toBe(401);
  expect((await must('keys list')).stdout).toContain('expired');
});

test.each(backends)('limits of an account take effect from the next request on: $name', async ({ newStore }) => {
  const service = await startService(await newStore());
  const { must, createKey } = await commandsFor(service);
  await must('accounts create-organisation acme');
  const { key } = await createKey('acme');
  expect((await must('accounts limits acme --per-minute 2')).stdout).toContain('2 a minute, default a month');
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await service.get('/v1/periods', key)).status);
  expect(statuses).toEqual([200, 200, 429]);
  await must('accounts limits acme --per-minute default --per-month 3');
  const allowed = await service.get('/v1/periods', key);
  expect([allowed.status, allowed.headers.get('ratelimit-policy')]).toEqual([
    200,
    expect.stringMatching(/^"minute";q=100000;w=60, "month";q=3;w=/),
  ]);
  expect(await codeOf(await service.get('/v1/periods', key))).toBe('ALLOWANCE_EXHAUSTED');
  expect((await must('accounts list --json')).stdout).toContain('"per_month": 3');
});

test.each(['keys revoke KEY', 'keys rotate KEY', 'accounts suspend KEY', 'keys KEY', 'KEY', 'serve --port KEY'])(
  'a key given to `%s` by mistake is not repeated in the error',
  async (line) => {
    const folder = mkdtempSync(join(tmpdir(), 'malaria-cli-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const store = `sqlite:${join(folder, 'proxy.sqlite')}`;
    await createStore(store);
    const key = mintKey('malaria', 'live', Buffer.from('secret'));
    const { code, stderr } = await runHere(line.replace('KEY', key).split(' '), { MALARIA_STORE: store });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${key.slice(0, 17)}…`)]);
    expect(stderr).not.toContain(key);
  },
);

test.each([
  ['accounts suspend nobody', /no account named "nobody"/],
  ['keys revoke key_nope', /no key with id "key_nope"/],
  ['keys create --owner a --name n --kind dead --scopes forecasts', /kind/],
  ['keys create --owner a --name n --kind live --scopes all', /scopes: expected one or more of risk_scores, forecasts/],
  ['keys create --owner a --name n --kind live --scopes forecasts --expires 2020-01-01', /future/],
  ['keys create --owner a', /required option/],
  ['accounts limits a --per-minute 0', /whole number of 1 or more/],
  ['nonsense', /unknown command/],
  ['', /Usage: malaria-proxy/],
])('`%s` is refused in one clear line with exit code 2', async (line, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'malaria-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = `sqlite:${join(folder, 'proxy.sqlite')}`;
  await createStore(store);
  const done = await runHere(line === '' ? [] : line.split(' '), { MALARIA_STORE: store });
  expect([done.code, done.stdout]).toEqual([2, '']);
  expect(done.stderr).toMatch(message);
  expect(done.stderr).not.toContain('secret');
  expect(done.stderr).not.toContain('    at ');
});

test('a store that cannot be reached gives one line and exit code 3, since it may work later', async () => {
  const done = await runHere(['accounts', 'list', '--store', 'postgres://me:secret@127.0.0.1:1/db']);
  expect([done.code, done.stdout]).toEqual([3, '']);
  expect(done.stderr).toMatch(/^(?!.*secret).*PostgreSQL cannot be used: .*ECONNREFUSED.*\n$/);
});

test('the example for a new key names the address at which clients reach the API', async () => {
  const { store, remove } = makeBuild();
  onTestFinished(remove);
  await createStore(store);
  const run = (line: string, more = {}) => runHere(line.split(' '), { MALARIA_STORE: store, ...more });
  await run('accounts create-organisation acme');
  const create = 'keys create --owner acme --name n --kind test --scopes forecasts';
  expect((await run(create)).stdout).toContain("'http://127.0.0.1:8080/v1/periods'");
  const port = { MALARIA_HOST: '::1', MALARIA_PORT: '8092' };
  expect((await run(create, port)).stdout).toContain("'http://[::1]:8092/v1/periods'");
  const api = { ...port, MALARIA_API_URL: 'https://api.example.org' };
  expect((await run(create, api)).stdout).toContain("'https://api.example.org/v1/periods'");
});

test('a reader of the output that has seen enough, as head has, is no error', async () => {
  const { store, remove } = makeBuild();
  onTestFinished(remove);
  await createStore(store);
  // The reader ends before the command writes.
  const early = await runCli(['keys', 'list', '--store', store], {}, ['bash', '-c', '"$@" | true', 'bash']);
  expect(early).toMatchObject({ code: 0, stderr: '' });
});

test('--help prints commands and examples and exits with 0', async () => {
  const help = await runCli(['--help']);
  expect([help.code, help.stderr]).toEqual([0, '']);
  for (const word of ['serve', 'accounts', 'keys', 'Examples:', 'MALARIA_STORE']) expect(help.stdout).toContain(word);
  expect((await runCli(['keys', 'create', '--help'])).stdout).toContain('--expires');
});
