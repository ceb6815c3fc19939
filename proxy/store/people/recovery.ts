import { randomText } from '../key-format.ts';
import { hashToken } from './tokens.ts';

const CODE_COUNT = 10;
/** Crockford's base 32, which has no lookalikes. Ten characters are 50 bits, which is enough against a few attempts. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Codes for signing in after losing the authenticator app, each valid once: `xxxxx-xxxxx`. */
export function mintRecoveryCodes(): string[] {
  return Array.from({ length: CODE_COUNT }, () => `${randomText(5, ALPHABET)}-${randomText(5, ALPHABET)}`);
}

/** The hash of a code, regardless of case and spacing. */
export function hashRecoveryCode(personId: string, code: string): Buffer {
  return hashToken(`${personId} ${code.toLowerCase().replace(/[^0-9a-z]/g, '')}`);
}
