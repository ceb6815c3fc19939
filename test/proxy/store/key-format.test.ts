import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkBrand, hashKey, hasValidTag, mintKey } from '../../../proxy/store/key-format.ts';

const SECRET = randomBytes(32);
const mint = () => mintKey('malaria', 'live', SECRET);

test('a key begins with brand and kind, and no two keys are alike', () => {
  expect(mint()).toMatch(/^malaria_live_[0-9A-Za-z]{38}$/);
  expect(mintKey('acme', 'test', SECRET)).toMatch(/^acme_test_[0-9A-Za-z]{38}$/);
  const many = Array.from({ length: 500 }, mint);
  expect(new Set(many).size).toBe(500);
  expect(many.every((key) => hasValidTag(key, [SECRET]))).toBe(true);
});

test('the tag is the start of an HMAC-SHA-256 in base 62', () => {
  const key = mint();
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let number = createHmac('sha256', SECRET).update(key.slice(0, -6)).digest().readUIntBE(0, 6) % 62 ** 6;
  let tag = '';
  for (; tag.length < 6; number = Math.floor(number / 62)) tag = digits[number % 62] + tag;
  expect(key.slice(-6)).toBe(tag);
});

test('a key tagged with any of the good secrets passes, and with another does not', () => {
  const [other, key] = [randomBytes(32), mint()];
  expect([hasValidTag(key, [other, SECRET]), hasValidTag(key, [other]), hasValidTag(key, [])]).toEqual([
    true,
    false,
    false,
  ]);
});

test('any single mistyped character and any swap of neighbours is detected', () => {
  const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_');
  fc.assert(
    fc.property(fc.nat(50), character, fc.boolean(), (at, other, swap) => {
      const key = mint();
      const i = at % (key.length - 1);
      const wrong = swap
        ? key.slice(0, i) + key[i + 1] + key[i] + key.slice(i + 2)
        : key.slice(0, i) + other + key.slice(i + 1);
      expect(hasValidTag(wrong, [SECRET])).toBe(wrong === key);
    }),
  );
});

test.each(['', 'malaria_live_', 'Bearer x', 'malaria_dead_'.padEnd(51, 'A'), '💥'.repeat(51)])(
  '%j is not a key',
  (text) => {
    expect(hasValidTag(text, [SECRET])).toBe(false);
  },
);

test('a key with anything before or after it is not a key', () => {
  const key = mint();
  for (const wrong of [` ${key}`, `${key} `, `${key}\n`, `${key},${key}`, key.toUpperCase()]) {
    expect(hasValidTag(wrong, [SECRET])).toBe(false);
  }
});

test('a brand consists of lowercase letters and digits and starts with a letter', () => {
  for (const good of ['malaria', 'a', 'm2', 'a'.repeat(32)]) expect(checkBrand(good)).toBe(good);
  for (const bad of ['', '2m', 'Mal', 'a_b', 'a b', 'a'.repeat(33)]) {
    expect(() => checkBrand(bad)).toThrow(/expected up to 32 lowercase letters and digits/);
  }
});

test('the hash is the SHA-256 of the complete key', () => {
  expect(hashKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
