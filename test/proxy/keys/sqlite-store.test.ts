import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { hashKey, mintKey } from '../../../proxy/keys/key-format.ts';
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

test('what another connection commits holds from the very next look', async () => {
  const [serving, other] = [open(), open()];
  const { id, key } = await giveKey(other);
  const look = () => serving.look()(key, Date.now());
  for (const [change, admitted] of [
    [() => other.changeAccount('ministry', 'suspend', 1), false],
    [() => other.changeAccount('ministry', 'reinstate', 1), true],
    [() => other.setLimits('ministry', { perMinute: 7 }), true],
    [() => serving.changeAccount('ministry', 'suspend', 1), false],
    [() => serving.changeAccount('ministry', 'reinstate', 1), true],
    [() => other.revokeKey(id, 1), false],
  ] as const) {
    const before = await look();
    await change();
    expect([before === null, (await look()) !== null]).toEqual([before === null, admitted]);
  }
});

test('limits and scopes of the holder are those of now', async () => {
  const [serving, other] = [open(), open()];
  const { id, key } = await giveKey(other, { scopes: ['forecasts'], kind: 'test' });
  expect(await serving.look()(key, Date.now())).toMatchObject({
    keyId: id,
    kind: 'test',
    scopes: ['forecasts'],
    perMinute: null,
    perMonth: null,
  });
  await other.setLimits('ministry', { perMinute: 7 });
  await other.setLimits('ministry', { perMonth: 70 });
  expect(await serving.look()(key, Date.now())).toMatchObject({ perMinute: 7, perMonth: 70 });
  await other.setLimits('ministry', { perMinute: null });
  expect(await serving.look()(key, Date.now())).toMatchObject({ perMinute: null, perMonth: 70 });
});

test('expiry holds to the millisecond, also for a key already read', async () => {
  const store = open();
  const { key } = await giveKey(store, { expiresAt: 5000, now: 1000 });
  expect(await store.look()(key, 4999)).not.toBeNull();
  expect(await store.look()(key, 5000)).toBeNull();
});

test('the time of last use is noted now and then and on closing, and never goes back', async () => {
  const [serving, other] = [open(), open()];
  // Made at times of their own: keys of one moment are listed in the order of their ids, which are random.
  const { key } = await giveKey(other, { now: 1000 });
  const { key: unused } = await giveKey(other, { now: 2000 });
  const noted = async () => (await other.listKeys()).map((listed) => listed.key.last_used_at);
  await serving.look()(key, 5000);
  await serving.look()(key, 7000);
  await serving.look()(`${unused}x`, 8000);
  expect(await noted()).toEqual([null, null]);
  await serving.noteUses();
  expect(await noted()).toEqual([7000, null]);
  await serving.look()(key, 6000);
  await serving.noteUses();
  expect(await noted()).toEqual([7000, null]);
  const third = openStore(`sqlite:${file}`);
  await third.look()(key, 9000);
  await third.close();
  expect(await noted()).toEqual([9000, null]);
});

test('noting waits for nobody, and comes later where another writes', async () => {
  const serving = open();
  const { key } = await giveKey(serving);
  await serving.look()(key, 5000);
  const busy = new DatabaseSync(file);
  busy.exec('BEGIN IMMEDIATE');
  const started = performance.now();
  await serving.noteUses();
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

test('a key that expires at the end of the year 9999 works until then', async () => {
  const store = open();
  const expiresAt = Date.parse('9999-12-31T23:59:59.999Z');
  const { key } = await giveKey(store, { expiresAt });
  expect(await store.look()(key, expiresAt - 1)).not.toBeNull();
  expect(await store.look()(key, expiresAt)).toBeNull();
});

test('an unknown key is nobody, however often it is tried', async () => {
  const store = open();
  const unknown = mintKey('malaria', 'live');
  expect([await store.look()(unknown, 1), await store.look()(unknown, 1)]).toEqual([null, null]);
});

test('names are unique for good', async () => {
  const store = open();
  await store.createAccount('organisation', 'acme', 1);
  expect(() => store.createAccount('researcher', ' acme ', 1)).toThrow(/exists already/);
  await store.changeAccount('acme', 'remove', 2);
  expect(() => store.createAccount('organisation', 'acme', 3)).toThrow(
    /was removed, and names are not given out twice/,
  );
});

test('unknown names and ids are one line', () => {
  const store = open();
  expect(() => store.changeAccount('nobody', 'suspend', 1)).toThrow('no account named "nobody"');
  expect(() => store.revokeKey('key_x', 1)).toThrow(/no key with id "key_x"/);
});

test('what is no store, or a newer one, is refused', () => {
  writeFileSync(join(folder, 'text'), 'not a database at all, but long enough to look like one');
  expect(() => openStore(`sqlite:${join(folder, 'text')}`)).toThrow(/cannot use .*text as an SQLite database/);
  open();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 99');
  db.close();
  expect(() => openStore(`sqlite:${file}`)).toThrow(/schema 99, from a newer malaria-proxy/);
  expect(() => openStore('postgres://user:secret@host/db')).toThrow(/^store: postgres:\/\/ is not in this build yet/);
  expect(() => openStore('mysql:secret')).toThrow(/^store: expected sqlite:FILE or postgres:\/\/…$/);
});
