/** What every store of accounts and keys promises. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { mintKey } from '../../../proxy/accounts/key-format.ts';
import { openStore } from '../../../proxy/accounts/open-store.ts';
import { FORMS, type Place, removeServersAtEnd } from '../forms.ts';
import { giveKey } from '../service.ts';

removeServersAtEnd();

describe.each(FORMS.filter((form) => !form.skip))('$name', ({ place }) => {
  let at: Place;
  beforeEach(async () => {
    at = await place();
  });
  const open = async () => {
    const store = await openStore(at.store, at.limits);
    onTestFinished(() => store.close());
    return store;
  };

  test('what another connection commits holds from the very next look', async () => {
    const [serving, other] = [await open(), await open()];
    const { id, key } = await giveKey(other);
    const look = () => serving.identify(key, Date.now());
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
    const [serving, other] = [await open(), await open()];
    const { id, key } = await giveKey(other, { scopes: ['forecasts'], kind: 'test' });
    expect(await serving.identify(key, Date.now())).toMatchObject({
      keyId: id,
      kind: 'test',
      scopes: ['forecasts'],
      perMinute: null,
      perMonth: null,
    });
    await other.setLimits('ministry', { perMinute: 7 });
    await other.setLimits('ministry', { perMonth: 70 });
    expect(await serving.identify(key, Date.now())).toMatchObject({ perMinute: 7, perMonth: 70 });
    await other.setLimits('ministry', { perMinute: null });
    expect(await serving.identify(key, Date.now())).toMatchObject({ perMinute: null, perMonth: 70 });
  });

  test('expiry holds to the millisecond, also for a key already read', async () => {
    const store = await open();
    const { key } = await giveKey(store, { expiresAt: 5000, now: 1000 });
    expect(await store.identify(key, 4999)).not.toBeNull();
    expect(await store.identify(key, 5000)).toBeNull();
  });

  test('a key that expires at the end of the year 9999 works until then', async () => {
    const store = await open();
    const expiresAt = Date.parse('9999-12-31T23:59:59.999Z');
    const { key } = await giveKey(store, { expiresAt });
    expect(await store.identify(key, expiresAt - 1)).not.toBeNull();
    expect(await store.identify(key, expiresAt)).toBeNull();
  });

  test('the time of last use is noted now and then and on closing, and never goes back', async () => {
    const [serving, other] = [await open(), await open()];
    // Made at times of their own: keys of one moment are listed in the order of their ids, which are random.
    const { key } = await giveKey(other, { now: 1000 });
    const { key: unused } = await giveKey(other, { now: 2000 });
    const noted = async () => (await other.listKeys()).map((listed) => listed.key.last_used_at);
    await serving.identify(key, 5000);
    await serving.identify(key, 7000);
    await serving.identify(`${unused}x`, 8000);
    expect(await noted()).toEqual([null, null]);
    await serving.flushUses();
    expect(await noted()).toEqual([7000, null]);
    await serving.identify(key, 6000);
    await serving.flushUses();
    expect(await noted()).toEqual([7000, null]);
    const third = await openStore(at.store, at.limits);
    await third.identify(key, 9000);
    await third.close();
    expect(await noted()).toEqual([9000, null]);
  });

  test('an unknown key is nobody, however often it is tried', async () => {
    const store = await open();
    const unknown = mintKey('malaria', 'live');
    expect([await store.identify(unknown, 1), await store.identify(unknown, 1)]).toEqual([null, null]);
  });

  test('names are unique for good', async () => {
    const store = await open();
    await store.createAccount('organisation', 'acme', 1);
    await expect(async () => store.createAccount('researcher', ' acme ', 1)).rejects.toThrow(/exists already/);
    await store.changeAccount('acme', 'remove', 2);
    await expect(async () => store.createAccount('organisation', 'acme', 3)).rejects.toThrow(
      /was removed, and names are not given out twice/,
    );
  });

  test('unknown names and ids are one line', async () => {
    const store = await open();
    await expect(async () => store.changeAccount('nobody', 'suspend', 1)).rejects.toThrow('no account named "nobody"');
    await expect(async () => store.revokeKey('key_x', 1)).rejects.toThrow(/no key with id "key_x"/);
  });

  test('what a stranger owns is as unknown as what does not exist; a revocation keeps its time', async () => {
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
