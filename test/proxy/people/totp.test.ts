import { expect, test } from 'vitest';
import { codeAt, mintSecret, otpauthUrl, STEP_MS, stepOf } from '../../../proxy/people/totp.ts';

/** '12345678901234567890' in base 32: the secret of both RFCs. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test('RFC 4226, appendix D', () => {
  const expected = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ');
  expect(expected.map((_, counter) => codeAt(RFC_SECRET, counter))).toEqual(expected);
});

test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('RFC 6238, appendix B: %i s', (seconds, code) => {
  expect(codeAt(RFC_SECRET, Math.floor((seconds * 1000) / STEP_MS), 8)).toBe(code);
});

test('a code is taken a step early or late, and no more', () => {
  const secret = mintSecret();
  const now = 1_700_000_000_000;
  const step = Math.floor(now / STEP_MS);
  for (const by of [-1, 0, 1]) expect(stepOf(secret, codeAt(secret, step + by), now)).not.toBeNull();
  const near = new Set([-1, 0, 1].map((by) => codeAt(secret, step + by)));
  for (const by of [-20, -2, 2, 20]) {
    const code = codeAt(secret, step + by);
    if (!near.has(code)) expect(stepOf(secret, code, now)).toBeNull();
  }
  for (const text of ['', '12345', '1234567', '12345a', '１２３４５６']) expect(stepOf(secret, text, now)).toBeNull();
});

test('secrets are 160 bits, and no two are the same', () => {
  const secrets = Array.from({ length: 100 }, mintSecret);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(new Set(secrets).size).toBe(100);
});

test('the address for apps holds the secret and nothing unescaped', () => {
  expect(otpauthUrl('ABC', 'a+b@x.org', 'Risk & Co')).toBe(
    'otpauth://totp/Risk%20%26%20Co:a%2Bb%40x.org?secret=ABC&issuer=Risk%20%26%20Co',
  );
});
