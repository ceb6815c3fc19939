import { describe, expect, onTestFinished, test } from 'vitest';
import { BACKENDS, rowsIn } from '../../support/proxy/backends.ts';
import { openStore } from '../../support/proxy/open-store.ts';

const few = { name: 'email ada', limit: 3, windowMs: 1000 };
const many = { name: 'address 1', limit: 5, windowMs: 1000 };

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ newStore }) => {
  const count = async (at?: string) => {
    const store = await openStore(at ?? (await newStore()).store);
    onTestFinished(() => store.close());
    return store.attempts;
  };

  test('a limited number of attempts is granted in a window, then none until it ends', async () => {
    const attempts = await count();
    for (const now of [0, 10, 999]) expect(await attempts.charge([few], now)).toBeNull();
    expect([await attempts.charge([few], 999), await attempts.charge([few], 400)]).toEqual([1, 600]);
    expect(await attempts.charge([few], 1000)).toBeNull();
  });

  test('an attempt is charged to all allowances or none, and a success is given back', async () => {
    const attempts = await count();
    for (let i = 0; i < 10; i++) await attempts.charge([few, many], 0);
    const other = { ...few, name: 'email ben' };
    expect([await attempts.charge([other, many], 0), await attempts.charge([other, many], 0)]).toEqual([null, null]);
    expect(await attempts.charge([other, many], 0)).toBe(1000);
    await attempts.giveBack([other, many]);
    expect(await attempts.charge([other, many], 0)).toBeNull();
    expect(await attempts.charge([{ ...few, name: 'email cem' }], 0), 'refused attempts cost nothing').toBeNull();
  });

  const several = async () => {
    const { store: url } = await newStore();
    const stores = await Promise.all(Array.from({ length: 3 }, () => openStore(url)));
    for (const store of stores) onTestFinished(() => store.close());
    const rows = () => rowsIn(url, 'SELECT * FROM attempts');
    return { counters: stores.map(({ attempts }) => attempts), rows };
  };

  test('several proxies count attempts together and exactly, without deadlocks', async () => {
    const { counters, rows } = await several();
    const other = { name: 'a second address', limit: 40, windowMs: 1000 };
    const third = { name: 'email of another', limit: 1000, windowMs: 1000 };
    for (let round = 0; round < 5; round++) {
      const taken = await Promise.all(
        Array.from({ length: 90 }, (_, i) => counters[i % 3]!.charge(i % 2 === 0 ? [third, other] : [other, third], 5)),
      );
      expect(taken.filter((wait) => wait === null).length).toBe(40);
      expect(new Set(taken)).toEqual(new Set([null, 1000]));
      expect((await rows()).map((row) => Number(row.count))).toEqual([40, 40]);
      await Promise.all(
        Array.from({ length: 40 }, (_, i) => counters[i % 3]!.giveBack(i % 2 === 0 ? [third, other] : [other, third])),
      );
      expect(await rows(), 'attempts that were given back leave nothing').toEqual([]);
    }
  });

  test('a refused attempt writes nothing, and expired windows are deleted', async () => {
    const { counters, rows } = await several();
    const full = { name: 'address 1', limit: 1, windowMs: 1000 };
    await counters[0]!.charge([full], 0);
    for (let i = 0; i < 5; i++) expect(await counters[1]!.charge([full, { ...few, name: `email ${i}` }], 1)).toBe(999);
    const [row, ...more] = await rows();
    expect([Number(row!.count), more]).toEqual([1, []]);
    expect(JSON.stringify(row), 'names are stored only as hashes').not.toContain('address');
    await counters[2]!.charge([few], 70_000);
    expect((await rows()).map(({ until }) => Number(until))).toEqual([71_000]);
  });
});
