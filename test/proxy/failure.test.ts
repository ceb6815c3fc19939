/** A single proxy with SQLite on a full disk, with a damaged file, and after backup and restore. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { runCli, runHere, serveCli } from '../support/proxy/cli-process.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { openStore } from '../support/proxy/open-store.ts';
import { giveKey, serveBuild } from '../support/proxy/service.ts';

/** prlimit, part of util-linux, limits how much a process may write. */
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
if (!hasPrlimit) console.error('tests of a full disk are skipped: prlimit (util-linux) is not installed');

let fixture: ReturnType<typeof makeBuild>;
beforeEach(() => {
  fixture = makeBuild();
  return fixture.remove;
});
const file = () => fixture.store.replace('sqlite:', '');
const giveOne = async (perMonth: number) => {
  const store = await openStore(fixture.store);
  const given = await giveKey(store);
  await store.setLimits('ministry', { perMinute: 20, perMonth });
  await store.close();
  return given;
};
const serve = (more: object = {}) =>
  serveBuild({ build: fixture.build, snapshot: fixture.current, store: fixture.store }, more);

test.skipIf(!hasPrlimit)(
  'on a full disk requests and readiness are 503, and everything recovers once there is space again',
  async () => {
    const { key } = await giveOne(1_000_000);
    const serving = await serveCli(['--snapshot', fixture.current, '--store', fixture.store, '--per-minute', '20']);
    const ask = () => fetch(`${serving.url}/v1/periods`, { headers: { 'x-api-key': key } });
    const ready = async () => {
      const response = await fetch(`${serving.opsUrl}/readyz`);
      return { status: response.status, reason: ((await response.json()) as { reason: string | null }).reason };
    };
    // No file of the process may grow, so writes fail as on a full disk.
    const allow = (size: string) => execFileSync('prlimit', ['--pid', String(serving.child.pid), `--fsize=${size}:`]);
    expect([(await ask()).status, (await ready()).status]).toEqual([200, 200]);
    allow('1');
    expect(await ready()).toEqual({ status: 503, reason: expect.stringContaining('keys and limits: disk I/O error') });
    const statuses = [];
    for (let i = 0; i < 5; i++) {
      const response = await ask();
      statuses.push(response.status);
      if (response.status === 503) expect(response.headers.get('retry-after')).toBe('5');
    }
    // A block of two requests was open.
    expect(statuses).toEqual([200, 503, 503, 503, 503]);
    allow('unlimited');
    expect([(await ask()).status, await ready()]).toEqual([200, { status: 200, reason: null }]);
    const lines = serving.read().stderr.trim().split('\n');
    expect(lines[0]).toBe('malaria-proxy: keys and limits: disk I/O error');
    expect(lines.length).toBeLessThanOrEqual(2);
  },
);

test.skipIf(!hasPrlimit)('on a full disk commands fail with one line', async () => {
  const { id } = await giveOne(100);
  // As while a server runs: the files that a writer needs exist, and cannot grow.
  const serving = await openStore(fixture.store);
  onTestFinished(() => serving.close());
  await serving.createAccount('organisation', 'other', 1);
  const limit = 'prlimit --fsize=1: --pid $$; exec "$@"';
  const { code, stderr } = await runCli(['keys', 'revoke', id, '--store', fixture.store], {}, [
    'sh',
    '-c',
    limit,
    'sh',
  ]);
  const target = join(fixture.build, 'saved');
  const saved = await runCli(['backup', target, '--store', fixture.store], {}, ['sh', '-c', limit, 'sh']);
  expect([saved.code, saved.stderr]).toEqual([3, expect.stringMatching(/^malaria-proxy: [^\n]+\n$/)]);
  expect(existsSync(target)).toBe(false);
  expect([code, stderr]).toEqual([3, 'malaria-proxy: store: SQLite cannot be used: disk I/O error\n']);
});

test('a damaged store is refused, with advice on how to restore it', async () => {
  await giveOne(100);
  const bytes = readFileSync(file());
  // A page of the table of keys, found by its contents.
  const page = bytes.indexOf('risk_scores') & ~4095;
  bytes.fill(0x5a, page, page + 40);
  writeFileSync(file(), bytes);
  const refused = await runHere([
    'serve',
    '--snapshot',
    fixture.current,
    '--store',
    fixture.store,
    '--port',
    '0',
    '--ops-port',
    '0',
  ]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/^malaria-proxy: .*proxy\.sqlite is damaged \(.*\); restore the last backup: .*\n$/);
});

test('after restoring a backup made under load nobody has more allowance than before, and at most a block less', async () => {
  const { id, key } = await giveOne(1000);
  const backup = join(fixture.build, 'saved');
  const server = await serve();
  const ask = async (at: { get: typeof server.get }) => (await at.get('/v1/periods', key)).status;
  let granted = 0;
  let stop = false;
  const load = async () => {
    while (!stop) if ((await ask(server)) === 200) granted++;
  };
  await server.store.setLimits('ministry', { perMinute: 100_000 });
  const loads = Promise.all([load(), load()]);
  await vi.waitFor(() => expect(granted).toBeGreaterThan(100), { timeout: 30_000 });
  const before = granted;
  const saved = await runCli(['backup', backup, '--store', fixture.store]);
  const after = granted;
  stop = true;
  await loads;
  expect([saved.code, saved.stderr]).toEqual([0, '']);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect((await runHere(['backup', backup, '--store', fixture.store])).stderr).toContain('exists; name a new file');

  const restore = () => runHere(['restore', backup, '--store', fixture.store]);
  expect(await restore()).toMatchObject({ code: 2, stderr: expect.stringContaining('is in use by another') });
  await server.store.revokeKey(id, Date.now());
  await server.close();
  const restored = await restore();
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('; the previous store is now ')]);
  for (const name of [file(), `${file()}-limits`]) expect([name, statSync(name).mode & 0o777]).toEqual([name, 0o600]);
  const again = await serve();
  const { id: owner } = (await again.store.findAccount('ministry'))!;
  let more = 0;
  while ((await ask(again)) === 200) more++;
  // A block of 1% was open when the backup was made.
  expect(more).toBeLessThanOrEqual(1000 - before);
  expect(more).toBeGreaterThanOrEqual(1000 - after - 10);
  expect((await again.store.accountById(owner))!.per_month).toBe(1000);
});

test('a file that is not a backup is not restored, and the store is kept', async () => {
  await giveOne(100);
  const other = join(fixture.build, 'other');
  for (const text of ['no database at all', '']) {
    writeFileSync(other, text);
    expect((await runHere(['restore', other, '--store', fixture.store])).code).toBe(2);
  }
  expect((await runHere(['restore', file(), '--store', fixture.store])).stderr).toContain('was not made by');
  expect(existsSync(file())).toBe(true);
  expect((await runHere(['keys', 'list', '--store', fixture.store])).stdout).toContain('ministry');
  expect((await runHere(['backup', other, '--store', 'postgres://x'])).stderr).toContain('proxy/cluster/README.md');
});

test.skipIf(process.getuid?.() !== 0)('files that root restores belong to the owner of the folder', async () => {
  await giveOne(100);
  const [folder, backup, nobody] = [dirname(file()), join(fixture.build, 'saved'), 65_534];
  expect((await runHere(['backup', backup, '--store', fixture.store])).stderr).toBe('');
  chownSync(folder, nobody, nobody);
  rmSync(file());
  expect((await runHere(['restore', backup, '--store', fixture.store])).stderr).toBe('');
  const owners = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).uid]);
  expect(owners.sort()).toEqual(['', '-limits', '-limits-lock'].map((end) => [`proxy.sqlite${end}`, nobody]));
});

/** Counts of this month in the limits beside the store. */
const taken = () => {
  const db = new DatabaseSync(`${file()}-limits`, { readOnly: true });
  try {
    return db
      .prepare('SELECT taken FROM months')
      .all()
      .map((row) => Number(row.taken));
  } finally {
    db.close();
  }
};
/** A store that was backed up after 30 requests with its key, and then had 20 more and a second account. */
const backedUp = async () => {
  const { key } = await giveOne(1000);
  const use = async (requests: number) => {
    const server = await serve({ perMinute: 1000 });
    await server.store.setLimits('ministry', { perMinute: 1000 });
    for (let i = 0; i < requests; i++) expect((await server.get('/v1/periods', key)).status).toBe(200);
    await server.close();
  };
  await use(30);
  const backup = join(fixture.build, 'saved');
  expect((await runHere(['backup', backup, '--store', fixture.store])).stderr).toBe('');
  await use(20);
  expect(taken()).toEqual([50]);
  const store = await openStore(fixture.store);
  await store.createAccount('organisation', 'later', 1);
  await store.close();
  return { key, restore: () => runHere(['restore', backup, '--store', fixture.store]), backup };
};
const names = async (): Promise<string[]> => {
  const { stdout } = await runHere(['accounts', 'list', '--json', '--store', fixture.store]);
  return JSON.parse(stdout).map(({ name }: { name: string }) => name);
};

test('requests granted since the backup still count if the limits are intact', async () => {
  const { key, restore } = await backedUp();
  expect((await restore()).code).toBe(0);
  expect([await names(), taken()]).toEqual([['ministry'], [50]]);
  const server = await serve({ perMinute: 1000 });
  expect((await server.get('/v1/periods', key)).headers.get('ratelimit')).toContain('r=949');
});

test('limits that are damaged, missing or lower than the backup’s are replaced by them', async () => {
  const { restore } = await backedUp();
  const limits = `${file()}-limits`;
  writeFileSync(limits, 'no database any more, but long enough to look like one');
  expect((await restore()).code).toBe(0);
  expect(taken()).toEqual([30]);
  const kept = readdirSync(dirname(limits)).find((name) => /\.before-.*-limits$/.test(name))!;
  expect(readFileSync(join(dirname(limits), kept), 'utf8')).toContain('no database any more');
  const db = new DatabaseSync(limits);
  db.exec('UPDATE months SET taken = 7');
  db.close();
  expect([(await restore()).code, taken()]).toEqual([0, [30]]);
  rmSync(limits);
  expect([(await restore()).code, taken()]).toEqual([0, [30]]);
});

test('limits without a store are kept', async () => {
  const { restore } = await backedUp();
  rmSync(file());
  const { code, stdout } = await restore();
  expect([code, stdout]).toEqual([0, `restored ${fixture.store}\n`]);
  expect([await names(), taken()]).toEqual([['ministry'], [50]]);
  expect(readdirSync(dirname(file())).filter((name) => /null|restoring/.test(name))).toEqual([]);
});

test('a store that another command has open is not replaced', async () => {
  const { restore } = await backedUp();
  const open = await openStore(fixture.store);
  onTestFinished(() => open.close());
  expect(await restore()).toMatchObject({ code: 2, stderr: expect.stringContaining('is in use') });
  expect([await names(), taken()]).toEqual([['later', 'ministry'], [50]]);
});

test.each(['intact', 'damaged'])(
  'a restore with %s limits that is killed at any step loses neither store nor counts',
  async (state) => {
    const { backup } = await backedUp();
    const [folder, copy] = [dirname(file()), join(fixture.build, 'copy')];
    if (state === 'damaged')
      writeFileSync(`${file()}-limits`, 'no database any more, but long enough to look like one');
    // As a killed server leaves it, with changes only in the write-ahead log.
    const server = await openStore(fixture.store);
    await server.createAccount('organisation', 'last', 1);
    cpSync(folder, copy, { recursive: true });
    await server.close();
    const preload = `--import=${join(import.meta.dirname, '../support/proxy/killed-at.ts')}`;
    const args = ['restore', backup, '--store', fixture.store];
    const counts = state === 'intact' ? [50] : [30];
    let killed = 0;
    for (let at = 1; ; at++) {
      rmSync(folder, { recursive: true });
      cpSync(copy, folder, { recursive: true });
      const { code } = await runCli(args, { NODE_OPTIONS: preload, KILLED_AT: String(at) });
      const isNew = !(await names()).includes('last');
      expect([at, await names()]).toEqual([at, isNew ? ['ministry'] : ['last', 'later', 'ministry']]);
      // The new store never has empty limits.
      if (isNew || state === 'intact') expect([at, taken()]).toEqual([at, counts]);
      if (code === 0) break;
      expect(code).toBeNull();
      killed++;
      expect((await runHere(args)).code, 'repeating it completes it').toBe(0);
      expect([await names(), taken()]).toEqual([['ministry'], counts]);
      const kept = readdirSync(folder)
        .filter((name) => name.endsWith('Z'))
        .sort()[0]!;
      const { stdout } = await runHere(['accounts', 'list', '--store', `sqlite:${join(folder, kept)}`]);
      expect([at, stdout]).toEqual([at, expect.stringContaining('last')]);
    }
    expect(killed).toBeGreaterThan(10);
  },
);
