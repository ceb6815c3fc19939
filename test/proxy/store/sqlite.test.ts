import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { schemaOf } from '../../../proxy/store/database.ts';
import { hashKey } from '../../../proxy/store/key-format.ts';
import { openKeyReader } from '../../../proxy/store/key-reader.ts';
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

const openReader = () => {
  const reader = openKeyReader(file);
  onTestFinished(() => reader.close());
  return reader;
};

test('a new database is created with its folder, readable by its owner alone', async () => {
  await giveKey(await open());
  for (const name of [file, `${file}-wal`]) expect([name, statSync(name).mode & 0o777]).toEqual([name, 0o600]);
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

test('writing usage waits for another process that is writing, but no request does', async () => {
  const serving = await open();
  const { id, key } = await giveKey(serving);
  const reader = openReader();
  const busy = new DatabaseSync(file);
  busy.exec('BEGIN IMMEDIATE');
  let isDone = false;
  const row = { day: '2026-03-10', key_id: id, operation: 'periods', granted: 1, refused: 0, at: 5000 };
  const written = serving.usage.add([row]).then(() => {
    isDone = true;
  });
  for (let i = 0; i < 20; i++) {
    expect(reader.identify(key, 5000)).toMatchObject({ kind: 'live' });
    await pause(5);
  }
  expect(isDone).toBe(false);
  busy.exec('ROLLBACK');
  busy.close();
  await written;
  expect((await serving.listKeys())[0]!.key.last_used_at).toBe(5000);
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
  const reader = openReader();
  let lookUps = 0;
  const lookUp = (acknowledged: number) => {
    lookUps++;
    expect(reader.identify(key, 1)!.perMinute ?? 0).toBeGreaterThanOrEqual(acknowledged);
  };
  for (let round = 0; round < 8; round++) {
    const { child, last } = startWriter();
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout!, 'data');
    const until = performance.now() + 60 + Math.random() * 60;
    while (performance.now() < until) {
      lookUp(last());
      if (lookUps % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    child.kill('SIGKILL');
    await once(child, 'close');
    lookUp(last());
  }
  expect(lookUps).toBeGreaterThan(100);
});

test('the row of a key is cached while nobody commits, and dropped on any commit', async () => {
  const [serving, other] = [await open(), await open()];
  const { key } = await giveKey(serving);
  const reader = openReader();
  const reads = vi.spyOn(StatementSync.prototype, 'all');
  onTestFinished(() => reads.mockRestore());
  const readsForLookUp = () => {
    reads.mockClear();
    expect(reader.identify(key, 1)).not.toBeNull();
    return reads.mock.calls.length > 0;
  };
  expect([readsForLookUp(), readsForLookUp(), readsForLookUp()]).toEqual([true, false, false]);
  for (const store of [other, serving, other]) {
    await store.setLimits('ministry', { perMinute: 5 }, 1);
    expect([readsForLookUp(), readsForLookUp()]).toEqual([true, false]);
  }
});

test('a store with an earlier schema is migrated', async () => {
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  db.exec(`${schemaOf('sqlite')[0]}
    INSERT INTO accounts (id, name, kind, created_at) VALUES ('acc_1', 'ministry', 'organisation', 1);
    INSERT INTO keys VALUES ('key_1', 'acc_1', 'old', 'live', 'forecasts', 'aa', x'aa', 1, NULL, NULL);
    PRAGMA user_version = 1`);
  db.close();
  const [old] = await (await open()).listKeys('ministry');
  expect(old!.key).toMatchObject({ name: 'old', last_used_at: null, created_by: null });
});

test('a file that is not a store, or a store of a newer version, is refused', async () => {
  writeFileSync(join(folder, 'text'), 'not a database at all, but long enough to look like one');
  await expect(openStore(`sqlite:${join(folder, 'text')}`)).rejects.toThrow(/cannot use .*text as an SQLite database/);
  await open();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 99');
  db.close();
  await expect(openStore(`sqlite:${file}`)).rejects.toThrow(/schema 99 of a newer malaria-proxy/);
  await expect(openStore('mysql:secret')).rejects.toThrow(/^store: expected sqlite:FILE or postgres:\/\/…$/);
});
