import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { hashKey } from '../../../proxy/keys/key-format.ts';
import { openStore } from '../../../proxy/keys/open-store.ts';
import { SCHEMA } from '../../../proxy/sqlite-schema.ts';
import { giveKey } from '../service.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'malaria-store-'));
  file = join(folder, 'deep', 'down', 'proxy.sqlite');
  return () => rmSync(folder, { recursive: true });
});
const open = () => {
  const store = openStore(`sqlite:${file}`);
  onTestFinished(() => store.close());
  return store;
};

test('a fresh database is made with its folder, for its owner alone', async () => {
  await giveKey(open());
  for (const name of [file, `${file}-wal`]) expect([name, statSync(name).mode & 0o777]).toEqual([name, 0o600]);
});

test('only a hash of the key is in the file', async () => {
  const store = open();
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

test('the text of a key is kept until uses are noted, also of one that lets nobody in', async () => {
  const store = open();
  const { key } = await giveKey(store, { expiresAt: 5000, now: 1000 });
  const reads = vi.spyOn(StatementSync.prototype, 'all');
  onTestFinished(() => reads.mockRestore());
  const readsOfALook = async () => {
    reads.mockClear();
    expect(await store.look()(key, 5000)).toBeNull();
    return reads.mock.calls.length;
  };
  expect([await readsOfALook(), await readsOfALook()]).toEqual([1, 0]);
  await store.noteUses();
  expect(await readsOfALook()).toBe(1);
});

test('noting waits for nobody, and comes later where another writes', async () => {
  const serving = open();
  const { key } = await giveKey(serving);
  await serving.look()(key, 5000);
  const busy = new DatabaseSync(file);
  busy.exec('BEGIN IMMEDIATE');
  const started = performance.now();
  await expect(async () => serving.noteUses()).rejects.toThrow(/locked/);
  expect(performance.now() - started).toBeLessThan(1000);
  busy.exec('ROLLBACK');
  busy.close();
  await serving.noteUses();
  expect((await serving.listKeys())[0]!.key.last_used_at).toBe(5000);
});

test('a store of the schema before is lifted', async () => {
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  db.exec(`${SCHEMA[0]}
    INSERT INTO accounts (id, name, kind, created_at) VALUES ('acc_1', 'ministry', 'organisation', 1);
    INSERT INTO keys VALUES ('key_1', 'acc_1', 'old', 'live', 'forecasts', 'aa', x'aa', 1, NULL, NULL);
    PRAGMA user_version = 1`);
  db.close();
  const [old] = await open().listKeys('ministry');
  expect(old!.key).toMatchObject({ name: 'old', last_used_at: null, created_by: null });
});

test('what is no store, or a newer one, is refused', () => {
  writeFileSync(join(folder, 'text'), 'not a database at all, but long enough to look like one');
  expect(() => openStore(`sqlite:${join(folder, 'text')}`)).toThrow(/cannot use .*text as an SQLite database/);
  open();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 99');
  db.close();
  expect(() => openStore(`sqlite:${file}`)).toThrow(/schema 99, from a newer malaria-proxy/);
  expect(() => openStore('mysql:secret')).toThrow(/^store: expected sqlite:FILE or postgres:\/\/…$/);
});
