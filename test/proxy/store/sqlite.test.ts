import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../pipeline/lib/clock.ts';
import { AccountStore } from '../../../proxy/store/account-store.ts';
import { schemaScripts } from '../../../proxy/store/database.ts';
import { type Gate, openGate } from '../../../proxy/store/gate.ts';
import { hashKey } from '../../../proxy/store/key-format.ts';
import { migrate } from '../../../proxy/store/sqlite-file.ts';
import { runHere } from '../../support/proxy/cli-process.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { giveKey } from '../../support/proxy/service.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'malaria-store-'));
  file = join(folder, 'deep', 'down', 'proxy.sqlite');
  return () => rmSync(folder, { recursive: true });
});
const open = async () => {
  const store = await openStore(`sqlite:${file}`);
  onTestFinished(() => store.close());
  return store;
};

const MANY = { perMinute: 1_000_000, perMonth: 1_000_000 };
const openTheGate = async (reports: string[] = []): Promise<Gate> => {
  const gate = await openGate((await open()).database, {
    ...MANY,
    clock: systemClock,
    report: (line) => reports.push(line),
  });
  onTestFinished(() => gate.close());
  return gate;
};
const verdictOf = (admitted: Awaited<ReturnType<Gate['admit']>>) =>
  admitted === null || admitted === 'unavailable' ? null : admitted.verdict;

test('a new database is created with its folder, readable by its owner alone', async () => {
  await giveKey(await open());
  for (const name of [file, `${file}-wal`]) expect([name, statSync(name).mode & 0o777]).toEqual([name, 0o600]);
});

test('a gate that has been closed refuses requests and reports it, and its pending ones end', async () => {
  const gate = await openTheGate();
  const { key } = await giveKey(await open());
  const [request, probe] = [gate.admit(key), gate.whyUnavailable()];
  gate.close();
  expect(await request).toBe('unavailable');
  expect(await probe).toMatch('it has been closed');
  expect(await gate.whyUnavailable()).toMatch('it has been closed');
});

test('the file contains only a hash of the key', async () => {
  const store = await open();
  const { key } = await giveKey(store);
  const db = new DatabaseSync(file);
  onTestFinished(() => db.close());
  const everything = JSON.stringify([
    db.prepare('SELECT * FROM keys').all(),
    db.prepare('SELECT * FROM accounts').all(),
  ]);
  expect(everything).not.toContain(key.slice(13));
  expect(db.prepare('SELECT hash FROM keys').get()).toEqual({ hash: new Uint8Array(hashKey(key)) });
});

test('while another process writes, requests wait without stopping the others, and are then granted', async () => {
  const store = await open();
  const { key } = await giveKey(store);
  const gate = await openTheGate();
  const busy = new DatabaseSync(file);
  busy.exec('BEGIN IMMEDIATE');
  const waiting = Array.from({ length: 10 }, () => gate.admit(key));
  let turns = 0;
  const until = performance.now() + 50;
  while (performance.now() < until) {
    turns++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(turns, 'the event loop runs on').toBeGreaterThan(10);
  busy.exec('ROLLBACK');
  for (const admitted of await Promise.all(waiting)) expect(verdictOf(admitted)).toMatchObject({ refusedBy: null });
  busy.close();
});

test('a store that stays locked is a 503 within a second, not a grant, and works again by itself', async () => {
  const store = await open();
  const { key } = await giveKey(store, { kind: 'test' });
  const reports: string[] = [];
  const gate = await openTheGate(reports);
  const busy = new DatabaseSync(file);
  busy.exec('BEGIN IMMEDIATE');
  const from = performance.now();
  expect(await gate.admit(key)).toBe('unavailable');
  expect(performance.now() - from).toBeLessThan(1000);
  expect(await gate.whyUnavailable()).toMatch(/^keys and limits: .*database is locked/);
  busy.exec('ROLLBACK');
  busy.close();
  expect(verdictOf(await gate.admit(key))).toMatchObject({ minute: { remaining: MANY.perMinute - 1 } });
  expect(await gate.whyUnavailable()).toBeNull();
  expect(reports).toEqual([expect.stringContaining('database is locked')]);
});

test('changes are synced to the disk, and grants at the latest with the usage of their minute', async () => {
  const store = await open();
  const modes: unknown[] = [];
  const noting = (work: (tx: typeof store.database.db) => Promise<unknown>) => async (tx: typeof store.database.db) => {
    modes.push((await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(tx)).rows[0]!.synchronous);
    return work(tx);
  };
  const { transact, transactUnsynced } = store.database;
  await transact(noting(async () => {}));
  await transactUnsynced(noting(async () => {}));
  await transact(noting(async () => {}));
  // FULL, NORMAL, FULL.
  expect(modes).toEqual([2, 1, 2]);
  const lightly = vi.fn(transactUnsynced);
  const { usage } = new AccountStore({ ...store.database, transactUnsynced: lightly as typeof transactUnsynced });
  const { id } = await giveKey(store);
  await usage.add([
    { day: '2026-03-10', key_id: id, operation: 'periods', outcome: 'granted', count: 1, lastAt: 5000 },
  ]);
  expect(lightly).not.toHaveBeenCalled();
});

/** A process that changes the limit of all accounts as fast as it can, and prints each once it is committed. */
function startWriter(): { child: ChildProcess; last: () => number } {
  const script = `
    import { DatabaseSync } from 'node:sqlite';
    import { writeSync } from 'node:fs';
    const db = new DatabaseSync(process.argv[1], { timeout: 5000 });
    const bump = db.prepare('UPDATE accounts SET per_minute = coalesce(per_minute, 0) + 1 RETURNING per_minute');
    for (;;) writeSync(1, bump.get().per_minute + '\\n');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-200);
  });
  return { child, last: () => Number(/(\d+)\n[^\n]*$/.exec(text)?.[1] ?? 0) };
}

test('no commit that another process has acknowledged is missed, even if it is killed at any moment', async () => {
  const store = await open();
  const { key } = await giveKey(store);
  const gate = await openTheGate();
  let requests = 0;
  const request = async (acknowledged: () => number) => {
    requests++;
    const before = acknowledged();
    const verdict = verdictOf(await gate.admit(key));
    if (verdict && before > 0) expect(verdict.minute.limit).toBeGreaterThanOrEqual(before);
  };
  for (let round = 0; round < 8; round++) {
    const { child, last } = startWriter();
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout!, 'data');
    const until = performance.now() + 60 + Math.random() * 60;
    while (performance.now() < until) {
      await request(last);
      if (requests % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    child.kill('SIGKILL');
    await once(child, 'close');
    await request(last);
  }
  expect(requests).toBeGreaterThan(100);
});

test('one row that cannot be read harms no other request that arrives at the same moment', async () => {
  const store = await open();
  const [broken, fine] = [await giveKey(store, { owner: 'broken' }), await giveKey(store)];
  const db = new DatabaseSync(file);
  // Beyond what a number in JavaScript can hold.
  db.exec(`UPDATE accounts SET per_minute = ${2n ** 60n} WHERE name = 'broken'`);
  db.close();
  const gate = await openTheGate();
  const asked = Array.from({ length: 20 }, (_, i) => gate.admit(i === 7 ? broken.key : fine.key));
  const verdicts = (await Promise.all(asked)).map(verdictOf);
  expect(verdicts.map((verdict) => verdict !== null)).toEqual(verdicts.map((_, i) => i !== 7));
  const { id } = (await store.findAccount('ministry'))!;
  expect(await store.usage.grantedInMonth(id, Date.now())).toBe(19);
});

test('the audit log is append-only', async () => {
  await giveKey(await open(), { owner: 'logged' });
  using db = new DatabaseSync(file);
  const entries = () => db.prepare('SELECT * FROM audit').all();
  const before = entries();
  const values = "(id, at, actor, by_service, action, subject, detail) VALUES (1, 2, 'another', 0, 'x', '', '')";
  for (const sql of [
    'DELETE FROM audit',
    "UPDATE audit SET actor = ''",
    `REPLACE INTO audit ${values}`,
    `INSERT INTO audit ${values} ON CONFLICT DO UPDATE SET actor = 'another'`,
  ])
    expect(() => db.exec(sql), sql).toThrow(/append-only/);
  expect(entries()).toEqual(before);
  expect(before.length).toBe(2);
});

test('a store of the unreleased schema is refused with one line, and nothing is written to it', async () => {
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('CREATE TABLE accounts (id TEXT PRIMARY KEY, name TEXT) STRICT; PRAGMA user_version = 9');
  db.close();
  const before = readFileSync(file);
  const { code, stderr } = await runHere(['accounts', 'list', '--store', `sqlite:${file}`]);
  expect([code, stderr]).toEqual([
    2,
    `malaria-proxy: ${file} was made by an unreleased version, or is no store: make a new one\n`,
  ]);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(dirname(file))).toEqual(['proxy.sqlite']);
});

test('a store is migrated by the scripts that it lacks, once', async () => {
  await open();
  const db = new DatabaseSync(file);
  onTestFinished(() => db.close());
  const scripts = [
    ...schemaScripts('sqlite'),
    'ALTER TABLE accounts ADD COLUMN later TEXT',
    'CREATE TABLE latest (id TEXT) STRICT',
  ];
  for (const _ of [1, 2]) migrate(db, file, scripts);
  expect(db.prepare('SELECT version FROM store').all()).toEqual([{ version: 3 }]);
  expect(db.prepare('SELECT later FROM accounts, latest').all()).toEqual([]);
  expect(db.prepare('SELECT * FROM tag_secrets').all().length).toBe(1);
});

test('a schema that was changed under the same number is refused, but not one with other comments', async () => {
  await open();
  const db = new DatabaseSync(file);
  onTestFinished(() => db.close());
  const [script] = schemaScripts('sqlite');
  migrate(db, file, [`-- made anew\n${script}`]);
  expect(() => migrate(db, file, [`${script} CREATE TABLE more (id TEXT) STRICT;`])).toThrow(
    /has another schema 1 than this version/,
  );
  db.exec("UPDATE store SET schema_hash = 'of another program'");
  const { code, stderr } = await runHere(['accounts', 'list', '--store', `sqlite:${file}`]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('has another schema 1 than this version')]);
});

test('a file that is not a store, or a store of a newer version, is refused', async () => {
  writeFileSync(join(folder, 'text'), 'not a database at all, but long enough to look like one');
  await expect(openStore(`sqlite:${join(folder, 'text')}`)).rejects.toThrow(/cannot use .*text as an SQLite database/);
  await open();
  const db = new DatabaseSync(file);
  db.exec('UPDATE store SET version = 99');
  db.close();
  await expect(openStore(`sqlite:${file}`)).rejects.toThrow(/schema 99 of a newer malaria-proxy/);
  await expect(openStore('mysql:secret')).rejects.toThrow(
    /^--store or MALARIA_STORE: expected sqlite:FILE or postgres:\/\/…$/,
  );
});
