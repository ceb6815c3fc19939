import { argon2Sync } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { checkNewPassword, checkPassword, hashPassword, TooBusy } from '../../../../proxy/store/people/passwords.ts';

vi.unmock('node:crypto');

test('a password matches its own hash and no other; each hash has its own salt', async () => {
  const [one, two] = [await hashPassword('seven herons'), await hashPassword('seven herons')];
  expect(one).not.toBe(two);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await checkPassword('seven herons', one)).toBe(true);
  for (const wrong of ['seven heron', 'seven herons ', '', 'Seven herons']) {
    expect(await checkPassword(wrong, one)).toBe(false);
  }
});

test('a hash is checked with Node’s Argon2id and the parameters that it contains', async () => {
  const salt = Buffer.alloc(16, 7);
  const options = { message: 'old', nonce: salt, parallelism: 1, tagLength: 32, memory: 8192, passes: 3 };
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  const stored = `$argon2id$v=19$m=8192,t=3,p=1$${text(salt)}$${text(argon2Sync('argon2id', options))}`;
  expect([await checkPassword('old', stored), await checkPassword('new', stored)]).toEqual([true, false]);
});

test('a password matches however its letters are composed', async () => {
  const stored = await hashPassword('caf\u00e9 ol\u00e9 ol\u00e9');
  expect(await checkPassword('cafe\u0301 ole\u0301 ole\u0301', stored)).toBe(true);
});

test('no password matches for unknown or removed people', async () => {
  for (const stored of [null, '']) {
    for (const password of ['', 'x', 'null']) expect(await checkPassword(password, stored)).toBe(false);
  }
});

test('a password longer than the maximum never matches by its start', async () => {
  const stored = await hashPassword('a'.repeat(200));
  expect(await checkPassword('a'.repeat(200), stored)).toBe(true);
  expect(await checkPassword('a'.repeat(201), stored)).toBe(false);
});

test('passwords beyond the queue are refused, of nobody too, and those in the queue are checked; known people go first', async () => {
  const stored = await hashPassword('seven herons');
  await checkPassword('x', stored);
  let checkedCount = 0;
  const all = Promise.allSettled(
    Array.from({ length: 60 }, () => checkPassword('x', stored).finally(() => checkedCount++)),
  );
  await expect(checkPassword('x', null)).rejects.toThrow(TooBusy);
  expect(await checkPassword('seven herons', stored, true)).toBe(true);
  // The eight that were refused, the two that were being checked, and at most one more.
  expect(checkedCount).toBeLessThan(12);
  const results = await all;
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.length).toBe(8);
  for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(TooBusy);
  expect(await checkPassword('x', null)).toBe(false);
});

test('passwords of nobody take no turn while others are checked, and just as long', async () => {
  const stored = await hashPassword('seven herons');
  const timed = async (of: string | null) => {
    const begin = performance.now();
    expect(await checkPassword('x', of)).toBe(false);
    return performance.now() - begin;
  };
  const alone = await timed(stored);
  const checked = Array.from({ length: 4 }, () => timed(stored));
  const nobodys = await Promise.all(Array.from({ length: 500 }, () => timed(null)));
  expect(Math.min(...nobodys)).toBeGreaterThan(alone / 20);
  expect((await Promise.all(checked)).length).toBe(4);
});

const ABOUT = ['ada.lovelace@example.org', 'Ada Lovelace'];

test.each([
  ['short', /at least 12/],
  ['x'.repeat(201), /at most 200/],
  ['aaaaaaaaaaaaaaaa', /easy to guess/],
  ['abcabcabcabcabc', /easy to guess/],
  ['Password1234', /easy to guess/],
  ['123456789012', /easy to guess/],
  ['qwertyuiop12', /easy to guess/],
  ['abcdefghijklmnop', /easy to guess/],
  ['Welcome2Nigeria!', /easy to guess/],
  ['my name is ADA.LOVELACE!', /easy to guess/],
  ['L0velace2026!!', /easy to guess/],
  ['Malaria-Nigeria-2026', /easy to guess/],
  ['N1ger1a2026!!!', /easy to guess/],
  ['Summer2026!!!!', /easy to guess/],
  ['correct horse battery staple', /easy to guess/],
  ['Correct-Horse-Battery-Staple', /easy to guess/],
  ['monkey dragon shadow', /easy to guess/],
  ['P@ssw0rd2026!!', /easy to guess/],
])('%s is refused as a new password', async (password, why) => {
  await expect(checkNewPassword(password, ABOUT)).rejects.toThrow(why);
});

test.each([
  'kX9#vT2!qLmZ',
  'password managers like mine',
  '839204857291',
  'ọjọ́ mẹ́ta ni mo ń lọ',
  'mass spoon tile clerk',
])('%s is accepted as a new password', async (password) => {
  await checkNewPassword(password, ABOUT);
});

test('words from one’s own name and address do not count', async () => {
  const password = 'Oluwaseun Adebayo-Bello';
  await expect(checkNewPassword(password, ['o@example.org', password])).rejects.toThrow(/easy to guess/);
  await checkNewPassword(password, ABOUT);
});

test('while a long password is being checked, the process continues with other work', async () => {
  const before = performance.eventLoopUtilization();
  await checkNewPassword(`${'kX9#vT2!qLmZ'.repeat(16)}12345678`, ABOUT);
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
});
