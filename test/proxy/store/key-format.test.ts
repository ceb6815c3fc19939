import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkBrand, hashKey, isWellFormed, mintKey } from '../../../proxy/store/key-format.ts';

test('a key begins with brand and kind, and no two keys are alike', () => {
  expect(mintKey('malaria', 'live')).toMatch(/^malaria_live_[0-9A-Za-z]{38}$/);
  expect(mintKey('acme', 'test')).toMatch(/^acme_test_[0-9A-Za-z]{38}$/);
  const many = Array.from({ length: 500 }, () => mintKey('malaria', 'live'));
  expect(new Set(many).size).toBe(500);
  expect(many.every(isWellFormed)).toBe(true);
});

test('any single mistyped character and any swap of neighbours is detected', () => {
  const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_');
  fc.assert(
    fc.property(fc.nat(50), character, fc.boolean(), (at, other, swap) => {
      const key = mintKey('malaria', 'live');
      const i = at % (key.length - 1);
      const wrong = swap
        ? key.slice(0, i) + key[i + 1] + key[i] + key.slice(i + 2)
        : key.slice(0, i) + other + key.slice(i + 1);
      expect(isWellFormed(wrong)).toBe(wrong === key);
    }),
  );
});

test.each(['', 'malaria_live_', 'Bearer x', 'malaria_dead_'.padEnd(51, 'A'), '💥'.repeat(51)])(
  '%j is not a key',
  (text) => {
    expect(isWellFormed(text)).toBe(false);
  },
);

test('a key with anything before or after it is not a key', () => {
  const key = mintKey('malaria', 'live');
  for (const wrong of [` ${key}`, `${key} `, `${key}\n`, `${key},${key}`, key.toUpperCase()]) {
    expect(isWellFormed(wrong)).toBe(false);
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
