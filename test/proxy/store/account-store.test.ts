/** The guarantees of every store of accounts and keys. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BACKENDS, type StoreUrls } from '../../support/proxy/backends.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { giveKey } from '../../support/proxy/service.ts';

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ newStore }) => {
  let at: StoreUrls;
  beforeEach(async () => {
    at = await newStore();
  });
  const open = async () => {
    const store = await openStore(at.store);
    onTestFinished(() => store.close());
    return store;
  };

  test('names are never reused', async () => {
    const store = await open();
    await store.createAccount('organisation', 'acme', 1);
    await expect(async () => store.createAccount('researcher', ' acme ', 1)).rejects.toThrow(/already exists/);
    await store.changeAccount('acme', 'remove', 2);
    await expect(async () => store.createAccount('organisation', 'acme', 3)).rejects.toThrow(
      /was removed, and names cannot be used again/,
    );
  });

  test('of names that look the same, one is an account’s, also of those made at once', async () => {
    const names = [
      'Health Ministry',
      'Health  Ministry',
      'health ministry',
      'Health\u200b Ministry',
      'H\u0435alth Ministry',
    ];
    const stores = await Promise.all(names.map(open));
    const made = await Promise.allSettled(names.map((name, i) => stores[i]!.createAccount('organisation', name, 1)));
    const refusals = made.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refusals.map(({ reason }) => reason.message)).toEqual(
      Array(4).fill(expect.stringMatching(/^account name: '.*' is too like '.*'; choose one/)),
    );
    expect((await stores[0]!.listAccounts()).length).toBe(1);
  });

  test('a key’s name must not look like another one of a working key of the same owner', async () => {
    const store = await open();
    const { id } = await giveKey(store, { name: 'Dash' });
    const giveAnother = (name: string, owner = 'ministry') => giveKey(store, { name, owner });
    await expect(giveAnother('dash')).rejects.toThrow(
      "key name: 'dash' is too like 'Dash', the name of a key that works",
    );
    await giveAnother('Dash');
    await giveAnother('dash', 'another');
    for (const { key } of await store.listKeys('ministry')) await store.revokeKey(key.id, 5);
    expect((await giveAnother('dash')).id).not.toBe(id);
  });

  test('unknown names and ids are reported in one line', async () => {
    const store = await open();
    await expect(async () => store.changeAccount('nobody', 'suspend', 1)).rejects.toThrow('no account named "nobody"');
    await expect(async () => store.revokeKey('key_x', 1)).rejects.toThrow(/no key with id "key_x"/);
  });

  test('the key of another owner is treated as unknown, and a revocation keeps its time', async () => {
    const store = await open();
    const { id } = await giveKey(store);
    const stranger = await store.createAccount('researcher', 'ada', 2);
    const by = { id: 'p_1', label: 'ada@example.org', isService: false };
    await expect(async () => store.revokeKey(id, 3, by, stranger.id)).rejects.toThrow(/no key with id/);
    expect((await store.listKeys('ministry'))[0]!.key.revoked_at).toBeNull();
    expect(await store.listKeys('ada')).toEqual([]);
    expect((await store.revokeKey(id, 4)).revoked_at).toBe(4);
    expect((await store.revokeKey(id, 5)).revoked_at).toBe(4);
    expect(await store.accountById(stranger.id)).toEqual(stranger);
    expect(await store.accountById('acc_x')).toBeNull();
    expect((await store.listAccounts()).map(({ name }) => name).sort()).toEqual(['ada', 'ministry']);
  });
});
