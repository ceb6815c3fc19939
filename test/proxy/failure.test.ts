/** A single proxy with SQLite on a full disk, with a damaged file, and after backup and restore. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs, { chownSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { COMMAND_LINE } from '../../proxy/store/audit.ts';
import { Directory } from '../../proxy/store/people/directory.ts';
import { hashToken, mintToken } from '../../proxy/store/people/tokens.ts';
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
    expect(await ready()).toEqual({
      status: 503,
      reason: expect.stringMatching(/^keys and limits: store: SQLite cannot be used: disk I\/O error/),
    });
    const statuses = [];
    for (let i = 0; i < 5; i++) {
      const response = await ask();
      statuses.push(response.status);
      if (response.status === 503) expect(response.headers.get('retry-after')).toBe('5');
    }
    expect(statuses).toEqual([503, 503, 503, 503, 503]);
    allow('unlimited');
    expect([(await ask()).status, await ready()]).toEqual([200, { status: 200, reason: null }]);
    const lines = serving.read().stderr.trim().split('\n');
    expect(lines[0]).toBe('malaria-proxy: keys and limits: store: SQLite cannot be used: disk I/O error');
    expect(lines.length).toBeLessThanOrEqual(3);
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

/** Ends of keys, accounts and people in the store, by name. */
const ends = () => {
  const db = new DatabaseSync(file(), { readOnly: true });
  const named = (sql: string) =>
    Object.fromEntries(
      db
        .prepare(sql)
        .all()
        .map(({ name, ...ends }) => [name, { ...ends }]),
    );
  try {
    return {
      keys: named('SELECT name, revoked_at, expires_at FROM keys'),
      accounts: named('SELECT name, suspended_at, removed_at FROM accounts'),
      people: named('SELECT name, role, removed_at, password_hash, factor_secret, factor_step FROM people'),
      codes: db.prepare('SELECT count(*) AS n FROM recovery_codes').get()!.n,
      sessions: db.prepare('SELECT count(*) AS n FROM sessions').get()!.n,
    };
  } finally {
    db.close();
  }
};
/** Requests counted in this month. */
const counted = () => {
  const db = new DatabaseSync(file(), { readOnly: true });
  try {
    return Number(db.prepare('SELECT sum(granted) AS n FROM months').get()!.n);
  } finally {
    db.close();
  }
};
const backup = () => join(fixture.build, 'saved');
const restore = (...more: string[]) => runHere(['restore', backup(), '--store', fixture.store, ...more]);
const names = async (): Promise<string[]> => {
  const { stdout } = await runHere(['accounts', 'list', '--json', '--store', fixture.store]);
  return JSON.parse(stdout).map(({ name }: { name: string }) => name);
};

test('a backup made under load is consistent, and restoring it forgets no request granted since', async () => {
  const { key } = await giveOne(1000);
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
  const saved = await runCli(['backup', backup(), '--store', fixture.store]);
  stop = true;
  await loads;
  expect([saved.code, saved.stderr]).toEqual([0, '']);
  expect(statSync(backup()).mode & 0o777).toBe(0o600);
  expect((await runHere(['backup', backup(), '--store', fixture.store])).stderr).toContain('exists; name a new file');

  expect(await restore()).toMatchObject({ code: 2, stderr: expect.stringContaining('is in use') });
  await server.close();
  const restored = await restore();
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('; the previous store is now ')]);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const again = await serve();
  let more = 0;
  while ((await ask(again)) === 200) more++;
  expect(granted + more).toBe(1000);
});

test('a file that is not a backup of this service is not restored, and the store is kept', async () => {
  await giveOne(100);
  const other = join(fixture.build, 'other');
  const foreign = `sqlite:${join(fixture.build, 'foreign')}`;
  await (await openStore(foreign)).close();
  expect((await runHere(['backup', `${other}-3`, '--store', foreign])).code).toBe(0);
  const wrong = await runHere(['restore', `${other}-3`, '--store', fixture.store]);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringMatching(/backup of another service .*move that store away and use --forget\n$/),
  ]);
  expect((await runHere(['backup', backup(), '--store', fixture.store])).code).toBe(0);
  for (const log of ['-wal', '-journal']) {
    writeFileSync(backup() + log, 'a part of the backup');
    expect(await restore()).toMatchObject({ code: 2, stderr: expect.stringContaining(`is in ${backup()}${log}`) });
    rmSync(backup() + log);
  }
  for (const text of ['no database at all', '']) {
    writeFileSync(other, text);
    expect((await runHere(['restore', other, '--store', fixture.store])).code).toBe(2);
  }
  const old = new DatabaseSync(other);
  old.exec('CREATE TABLE accounts (id TEXT)');
  old.close();
  const refused = await runHere(['restore', other, '--store', fixture.store]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('unreleased version, or is no store')]);
  expect(existsSync(file())).toBe(true);
  expect((await runHere(['keys', 'list', '--store', fixture.store])).stdout).toContain('ministry');
  expect((await runHere(['backup', `${other}-2`, '--store', 'postgres://x'])).stderr).toContain(
    'proxy/deploy/operate.md',
  );
});

test.skipIf(process.getuid?.() !== 0)('files that root restores belong to the owner of the folder', async () => {
  await giveOne(100);
  const [folder, backup, nobody] = [dirname(file()), join(fixture.build, 'saved'), 65_534];
  expect((await runHere(['backup', backup, '--store', fixture.store])).stderr).toBe('');
  chownSync(folder, nobody, nobody);
  expect((await runHere(['restore', backup, '--store', fixture.store])).stderr).toBe('');
  expect(statSync(file()).uid).toBe(nobody);
});

/** A store that was backed up after 30 requests, and then had 20 more, another account, and much taken away. */
const backedUp = async () => {
  const store = await openStore(fixture.store);
  const ids: Record<string, string> = {};
  const directory = new Directory(store.database);
  for (const owner of ['ministry', 'suspended', 'removed']) {
    await store.createAccount('organisation', owner, 1);
    const { id: accountId } = (await store.findAccount(owner))!;
    const hash = hashToken(mintToken());
    await directory.links.invite(
      { email: `ada@${owner}.org`, role: 'administrator', accountId, hash },
      2,
      COMMAND_LINE,
    );
    ids[owner] = (await directory.links.acceptInvitation(hash, owner, 'a hash', 3))!.id;
    if (owner !== 'ministry') continue;
    for (const name of ['demoted', 'promoted']) {
      const role = name === 'demoted' ? 'administrator' : 'member';
      const link = hashToken(mintToken());
      await directory.links.invite({ email: `${name}@ministry.org`, role, accountId, hash: link }, 2, COMMAND_LINE);
      ids[name] = (await directory.links.acceptInvitation(link, name, 'a hash', 3))!.id;
    }
    const codes = [hashToken('first'), hashToken('second')];
    await directory.factors.turnOn(ids.ministry!, { secret: 'OLD', step: 1, codeHashes: codes }, 4);
  }
  for (const owner of ['ministry', 'suspended', 'removed']) {
    const credentials = { id: ids[owner]!, passwordHash: 'a hash', factorDue: owner === 'ministry' };
    expect(await directory.sessions.open(hashToken(mintToken()), credentials, 4)).toBe(true);
  }
  const scopes = ['risk_scores'] as const;
  const newKey = { brand: 'malaria', ownerName: 'ministry', kind: 'live', scopes, expiresAt: null } as const;
  const { secret: key } = await store.createKey({ ...newKey, name: 'used' }, 1);
  for (const name of ['revoked', 'ended', 'ended before', 'revoked before']) {
    ids[name] = (await store.createKey({ ...newKey, name }, 1)).key.id;
  }
  await store.revokeKey(ids['revoked before']!, 5);
  await store.expireKey(ids['ended before']!, 6, 5);
  await store.setLimits('ministry', { perMinute: 60, perMonth: 1000 });
  await store.close();
  const use = async (requests: number) => {
    const server = await serve();
    for (let i = 0; i < requests; i++) expect((await server.get('/v1/periods', key)).status).toBe(200);
    await server.close();
  };
  await use(30);
  expect((await runHere(['backup', backup(), '--store', fixture.store])).stderr).toBe('');
  await use(20);
  expect(counted()).toBe(50);
  const later = await openStore(fixture.store);
  await later.revokeKey(ids.revoked!, 10);
  await later.expireKey(ids.ended!, 20, 11);
  await later.changeAccount('suspended', 'suspend', 12);
  await later.changeAccount('removed', 'remove', 13);
  await later.createAccount('organisation', 'later', 14);
  const directoryLater = new Directory(later.database);
  await directoryLater.changeRole(ids.demoted!, 'member', 15, COMMAND_LINE);
  await directoryLater.changeRole(ids.promoted!, 'administrator', 15, COMMAND_LINE);
  await directoryLater.factors.turnOff(ids.ministry!, 16, COMMAND_LINE);
  await directoryLater.factors.turnOn(ids.ministry!, { secret: 'NEW', step: 2, codeHashes: [hashToken('third')] }, 17);
  const link = hashToken(mintToken());
  await directoryLater.links.createReset(ids.ministry!, link, 18, COMMAND_LINE);
  await directoryLater.links.resetPassword(link, 'a new hash', 19);
  await later.close();
  return { key };
};
const person = {
  role: 'administrator',
  removed_at: null,
  password_hash: 'a hash',
  factor_secret: null,
  factor_step: 0,
};
const CARRIED = {
  keys: {
    used: { revoked_at: null, expires_at: null },
    revoked: { revoked_at: 10, expires_at: null },
    ended: { revoked_at: null, expires_at: 20 },
    'ended before': { revoked_at: null, expires_at: 6 },
    'revoked before': { revoked_at: 5, expires_at: null },
  },
  accounts: {
    ministry: { suspended_at: null, removed_at: null },
    suspended: { suspended_at: 12, removed_at: null },
    removed: { suspended_at: null, removed_at: 13 },
  },
  people: {
    ministry: { ...person, password_hash: 'a new hash', factor_secret: 'NEW', factor_step: 2 },
    demoted: { ...person, role: 'member' },
    promoted: { ...person, role: 'member' },
    suspended: person,
    removed: { ...person, removed_at: 13, password_hash: '' },
  },
  codes: 1,
  sessions: 0,
};

test('what was revoked, suspended, ended, removed and granted since the backup stays so after a restore', async () => {
  const { key } = await backedUp();
  expect((await restore('--json')).stdout).toContain('"carried_over":true');
  expect([ends(), counted()]).toEqual([CARRIED, 50]);
  const db = new DatabaseSync(file(), { readOnly: true });
  const actions = db
    .prepare('SELECT action FROM audit WHERE at >= 10 AND at < 20')
    .all()
    .map(({ action }) => action);
  db.close();
  expect(actions.slice(0, 5)).toEqual(['key.revoke', 'key.end', 'account.suspend', 'account.remove', 'account.create']);
  const server = await serve();
  const { headers } = await server.get('/v1/periods', key);
  // The minute too: all 51 requests were made within it.
  expect(headers.get('ratelimit')).toMatch(/^"minute";r=9;t=\d+, "month";r=949;/);
});

test('after an earlier backup was restored by mistake, a later one is refused until the store from before is back', async () => {
  const { key } = await backedUp();
  const later = join(fixture.build, 'later');
  const restoreLater = () => runHere(['restore', later, '--store', fixture.store]);
  expect((await runHere(['backup', later, '--store', fixture.store])).stderr).toBe('');
  const find = ['keys', 'find', '--json', '--store', fixture.store];
  const [{ id }] = JSON.parse((await runCli(find, {}, ['sh', '-c', 'echo "$0" | "$@"', key])).stdout);
  expect((await runHere(['keys', 'revoke', id, '--store', fixture.store])).code).toBe(0);
  const revoked = ends();
  expect((await restore()).code).toBe(0);
  const refused = await restoreLater();
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/made later than .*\.before-/)]);
  const [before] = readdirSync(dirname(file())).filter((name) => name.includes('.before-'));
  fs.renameSync(join(dirname(file()), before!), file());
  expect((await restoreLater()).code).toBe(0);
  expect(ends().keys).toEqual(revoked.keys);
});

test.each(['damaged', 'missing', 'of a newer schema'])(
  'a store that is %s stops the restore, and --forget says what is lost',
  async (state) => {
    await backedUp();
    if (state === 'missing') rmSync(file());
    else if (state === 'of a newer schema') {
      const db = new DatabaseSync(file());
      db.exec('UPDATE store SET version = 99');
      db.close();
    } else writeFileSync(file(), 'no database any more, but long enough to look like one');
    const refused = await restore();
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^malaria-proxy: the store to be replaced cannot be read: .*--forget.*revoked.*suspended.*\n$/,
      ),
    ]);
    if (state === 'damaged') expect(readFileSync(file(), 'utf8')).toContain('no database any more');
    const forced = await restore('--forget');
    expect([forced.code, forced.stdout]).toEqual([0, expect.stringContaining('revoke, suspend and remove again')]);
    expect([ends().keys.revoked, counted(), await names()]).toEqual([
      { revoked_at: null, expires_at: null },
      30,
      ['ministry', 'removed', 'suspended'],
    ]);
    const kept = readdirSync(dirname(file())).filter((name) => name.includes('.before-'));
    expect(kept.length).toBe(state === 'missing' ? 0 : 1);
  },
);

/** The files and folders that `work` syncs to the disk, and those it renames, in order and by name. */
async function stepsOf(work: () => Promise<unknown>): Promise<string[]> {
  const steps: string[] = [];
  const paths = new Map<number, string>();
  const { openSync, fsyncSync, renameSync } = fs;
  Object.assign(fs, {
    openSync: (...args: Parameters<typeof openSync>) => {
      const opened = openSync(...args);
      paths.set(opened, basename(String(args[0])));
      return opened;
    },
    fsyncSync: (opened: number) => {
      steps.push(`sync ${paths.get(opened)}`);
      fsyncSync(opened);
    },
    renameSync: (from: string, to: string) => {
      steps.push(`rename to ${basename(to)}`);
      renameSync(from, to);
    },
  });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs, { openSync, fsyncSync, renameSync });
    syncBuiltinESMExports();
  }
  return steps;
}

test('backups and restored stores are on disk before they get their names, and with them afterwards', async () => {
  await giveOne(100);
  const backingUp = () => runHere(['backup', backup(), '--store', fixture.store]);
  const folder = basename(fixture.build);
  expect(await stepsOf(backingUp)).toEqual(['sync saved.unfinished', 'rename to saved', `sync ${folder}`]);
  const replaced = ['sync proxy.sqlite.restoring', 'rename to proxy.sqlite', 'sync store'];
  expect(await stepsOf(() => restore())).toEqual(replaced);
  rmSync(file());
  expect(await stepsOf(() => restore('--forget'))).toEqual(replaced);
});

test.skipIf(!hasPrlimit)('on a full disk a restore asks to try again, and leaves the store as it is', async () => {
  await backedUp();
  // Entries that the backup has not, so that the second time there is space for the backup but not for them.
  const db = new DatabaseSync(file());
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO audit (at, actor, by_service, action, subject, detail) SELECT i, 'a', 0, 'b', 'c', 'd' FROM n`);
  db.close();
  for (const most of [1, statSync(backup()).size]) {
    const limit = ['sh', '-c', `prlimit --fsize=${most}: --pid $$; exec "$@"`, 'sh'];
    const full = await runCli(['restore', backup(), '--store', fixture.store], {}, limit);
    expect([most, full.code, full.stderr]).toEqual([
      most,
      3,
      expect.stringMatching(/^malaria-proxy: .*; try again: .*\n$/),
    ]);
    expect(full.stderr).not.toContain('--forget');
    expect([await names(), counted()]).toEqual([['ministry', 'removed', 'suspended', 'later'], 50]);
  }
});

test('a store that another command has open is not replaced, not even with --forget', async () => {
  await backedUp();
  const open = await openStore(fixture.store);
  onTestFinished(() => open.close());
  for (const more of [[], ['--forget']]) {
    expect(await restore(...more)).toMatchObject({ code: 2, stderr: expect.stringContaining('is in use') });
  }
  expect([await names(), counted()]).toEqual([['ministry', 'removed', 'suspended', 'later'], 50]);
});

test('a restore that is killed at any step leaves the old store or the new one, and can be repeated', async () => {
  await backedUp();
  const [folder, copy] = [dirname(file()), join(fixture.build, 'copy')];
  // As a killed server leaves it, with changes only in the write-ahead log.
  const server = await openStore(fixture.store);
  await server.createAccount('organisation', 'last', 1);
  cpSync(folder, copy, { recursive: true });
  await server.close();
  const preload = `--import=${join(import.meta.dirname, '../support/proxy/killed-at.ts')}`;
  const args = ['restore', backup(), '--store', fixture.store];
  let killed = 0;
  for (let at = 1; ; at++) {
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true });
    const { code } = await runCli(args, { NODE_OPTIONS: preload, KILLED_AT: String(at) });
    const isNew = !(await names()).includes('last');
    if (isNew) expect([at, ends()]).toEqual([at, CARRIED]);
    expect([at, counted(), ends().keys]).toEqual([at, 50, CARRIED.keys]);
    if (code === 0) break;
    expect(code).toBeNull();
    killed++;
    expect((await runHere(args)).code, 'repeating it completes it').toBe(0);
    expect([ends(), counted()]).toEqual([CARRIED, 50]);
    const kept = readdirSync(folder)
      .filter((name) => name.endsWith('Z'))
      .sort()[0]!;
    const { stdout } = await runHere(['accounts', 'list', '--store', `sqlite:${join(folder, kept)}`]);
    expect([at, stdout]).toEqual([at, expect.stringContaining('last')]);
  }
  expect(killed).toBeGreaterThan(6);
});
