import { expect, test } from 'vitest';
import { matchingStep, mintSecret, otpauthUrl } from '../../../../proxy/store/people/totp.ts';
import { codeAt, STEP_MS } from '../../../support/proxy/authenticator.ts';

/** '12345678901234567890' in base 32, the secret in the RFC. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('codes match the last six digits in RFC 6238, appendix B: %i s', (seconds, code) => {
  expect(matchingStep(RFC_SECRET, code, seconds * 1000)).toBe(Math.floor((seconds * 1000) / STEP_MS));
});

test('a code is accepted a step early or late, and no more', () => {
  const secret = mintSecret();
  const now = 1_700_000_000_000;
  const step = Math.floor(now / STEP_MS);
  for (const by of [-1, 0, 1]) expect(matchingStep(secret, codeAt(secret, step + by), now)).toBe(step + by);
  const near = new Set([-1, 0, 1].map((by) => codeAt(secret, step + by)));
  for (const by of [-20, -2, 2, 20]) {
    const code = codeAt(secret, step + by);
    if (!near.has(code)) expect(matchingStep(secret, code, now)).toBeNull();
  }
  for (const text of ['', '12345', '1234567', '12345a', '１２３４５６'])
    expect(matchingStep(secret, text, now)).toBeNull();
});

test('secrets are 160 bits, and no two are the same', () => {
  const secrets = Array.from({ length: 100 }, mintSecret);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(new Set(secrets).size).toBe(100);
});

test('the URL for apps contains the secret and nothing unescaped', () => {
  expect(otpauthUrl(RFC_SECRET, 'a+b@x.org', 'Risk & Co')).toBe(
    `otpauth://totp/Risk%20%26%20Co:a%2Bb%40x.org?issuer=Risk%20%26%20Co&secret=${RFC_SECRET}&algorithm=SHA1&digits=6&period=30`,
  );
});
