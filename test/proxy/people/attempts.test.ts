import { expect, test } from 'vitest';
import { countAttempts } from '../../../proxy/people/attempts.ts';

const few = { what: 'email ada', most: 3, windowMs: 1000 };
const many = { what: 'address 1', most: 5, windowMs: 1000 };

test('so many in a window, then none until it ends', async () => {
  const attempts = countAttempts();
  for (const now of [0, 10, 999]) expect(await attempts.take([few], now)).toBeNull();
  expect([await attempts.take([few], 999), await attempts.take([few], 400)]).toEqual([1, 600]);
  expect(await attempts.take([few], 1000)).toBeNull();
});

test('all allowances are charged or none, and a success is given back', async () => {
  const attempts = countAttempts();
  for (let i = 0; i < 10; i++) await attempts.take([few, many], 0);
  const other = { ...few, what: 'email ben' };
  expect([await attempts.take([other, many], 0), await attempts.take([other, many], 0)]).toEqual([null, null]);
  expect(await attempts.take([other, many], 0)).toBe(1000);
  await attempts.giveBack([other, many]);
  expect(await attempts.take([other, many], 0)).toBeNull();
  expect(await attempts.take([{ ...few, what: 'email cem' }], 0), 'the refused ones cost nothing').toBeNull();
});

test('what is counted is bounded, the oldest forgotten first', async () => {
  const attempts = countAttempts();
  await attempts.take([{ ...few, most: 1 }], 0);
  for (let i = 0; i < 99_999; i++) await attempts.take([{ what: `n${i}`, most: 1, windowMs: 1000 }], 0);
  expect(await attempts.take([{ ...few, most: 1 }], 0)).toBe(1000);
  await attempts.take([{ what: 'one more', most: 1, windowMs: 1000 }], 0);
  expect(await attempts.take([{ ...few, most: 1 }], 0)).toBeNull();
});
