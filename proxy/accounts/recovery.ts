import { randomInt } from 'node:crypto';
import { hashToken } from './tokens.ts';

const CODES = 10;
/** Crockford's base 32: nothing that is taken for something else. Ten of them are 50 bits, tried a few times at most. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Codes for whoever has lost the second factor, each good once: `xxxxx-xxxxx`. */
export function mintRecoveryCodes(): string[] {
  const five = () => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: CODES }, () => `${five()}-${five()}`);
}

/** Hash of a code, however it was spaced. */
export function hashRecoveryCode(personId: string, code: string): Buffer {
  return hashToken(`${personId} ${code.toLowerCase().replace(/[^0-9a-z]/g, '')}`);
}
