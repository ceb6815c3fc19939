/** Reading keys for requests from an SQLite store: a look-up sees everything committed before it. */
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { backendsOf } from '../../../proxy/server/backends.ts';
import type { AccountStore } from '../../../proxy/store/account-store.ts';
import { mintKey } from '../../../proxy/store/key-format.ts';
import { openKeyReader } from '../../../proxy/store/key-reader.ts';
import { BACKENDS } from '../../support/proxy/backends.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { giveKey } from '../../support/proxy/service.ts';

let store: AccountStore;
let file: string;
let reader: ReturnType<typeof openKeyReader>;
beforeEach(async () => {
  const { store: url } = await BACKENDS[0]!.newStore();
  file = backendsOf({ store: url }).storeFile!;
  store = await openStore(url);
  onTestFinished(() => store.close());
  reader = openKeyReader(file);
  onTestFinished(() => reader.close());
});

test('a change to a key or account takes effect from the very next look-up', async () => {
  const { id, key } = await giveKey(store);
  const other = await openStore(`sqlite:${file}`);
  onTestFinished(() => other.close());
  for (const [change, isAdmitted] of [
    [() => other.changeAccount('ministry', 'suspend', 1), false],
    [() => other.changeAccount('ministry', 'reinstate', 1), true],
    [() => other.setLimits('ministry', { perMinute: 7 }), true],
    [() => store.changeAccount('ministry', 'suspend', 1), false],
    [() => store.changeAccount('ministry', 'reinstate', 1), true],
    [() => other.revokeKey(id, 1), false],
  ] as const) {
    await change();
    expect([change.toString(), reader.identify(key, 5) !== null]).toEqual([change.toString(), isAdmitted]);
  }
});

test('limits and scopes of the holder are the current ones', async () => {
  const { id, key } = await giveKey(store, { scopes: ['forecasts'], kind: 'test' });
  const holder = { keyId: id, kind: 'test', scopes: ['forecasts'] };
  expect(reader.identify(key, 5)).toMatchObject({ ...holder, perMinute: null, perMonth: null });
  await store.setLimits('ministry', { perMinute: 7 });
  await store.setLimits('ministry', { perMonth: 70 });
  expect(reader.identify(key, 5)).toMatchObject({ perMinute: 7, perMonth: 70 });
  await store.setLimits('ministry', { perMinute: null });
  expect(reader.identify(key, 5)).toMatchObject({ perMinute: null, perMonth: 70 });
});

test('expiry is exact to the millisecond, up to the end of the year 9999', async () => {
  for (const expiresAt of [5000, Date.parse('9999-12-31T23:59:59.999Z')]) {
    const { key } = await giveKey(store, { expiresAt, now: 1000 });
    expect(reader.identify(key, expiresAt - 1)).not.toBeNull();
    expect(reader.identify(key, expiresAt)).toBeNull();
  }
});

test('a forged key costs no look-up, and a key created a moment ago works', async () => {
  await giveKey(store);
  expect(reader.identify(mintKey('malaria', 'live'), 1)).toBeNull();
  const reads = vi.spyOn(StatementSync.prototype, 'all');
  onTestFinished(() => reads.mockRestore());
  for (let i = 0; i < 10; i++) expect(reader.identify(mintKey('malaria', 'live'), 1)).toBeNull();
  expect(reads).not.toHaveBeenCalled();
  const { id, key } = await giveKey(store);
  expect(reader.identify(key, 1)).toMatchObject({ keyId: id });
});

test('two keys whose hashes begin alike are distinguished', async () => {
  const [one, two] = [await giveKey(store), await giveKey(store)];
  const db = new DatabaseSync(file);
  onTestFinished(() => db.close());
  const heads = 'SELECT hash_head FROM keys WHERE id = ?';
  db.prepare(`UPDATE keys SET hash_head = (${heads}) WHERE id = ?`).run(one.id, two.id);
  const head = String(db.prepare(heads).get(two.id)!.hash_head);
  expect(db.prepare('SELECT count(*) AS n FROM keys WHERE hash_head = ?').get(head)).toEqual({ n: 2 });
  expect(reader.identify(one.key, 1)).toMatchObject({ keyId: one.id });
});
