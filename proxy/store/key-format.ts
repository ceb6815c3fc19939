import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { UsageError } from '../../pipeline/lib/errors.ts';

export const KEY_KINDS = ['live', 'test'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The value of each character of the alphabet, by its code. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, ALPHABET.indexOf(String.fromCharCode(code))));
/** 32 characters of base 62 are 190 bits: impossible to guess, so storing an unsalted fast hash is enough. */
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = 4;
const FORM = new RegExp(`^[a-z][a-z0-9]{0,31}_(live|test)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** `brand`, if it is a valid prefix of keys. @throws UsageError if not. */
export function checkBrand(brand: string): string {
  if (/^[a-z][a-z0-9]{0,31}$/.test(brand)) return brand;
  throw new UsageError(
    `brand: expected up to 32 lowercase letters and digits, starting with a letter, found '${brand}'`,
  );
}

/** A new key: `<brand>_<kind>_`, 32 random characters, and a checksum of 6. */
export function mintKey(brand: string, kind: KeyKind): string {
  const random = randomText(RANDOM_LENGTH);
  const head = `${brand}_${kind}_${random}`;
  return head + checksum(head);
}

/** `length` random characters of `alphabet`. */
export function randomText(length: number, alphabet = ALPHABET): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/**
 * Whether `text` has the form of a key with a correct checksum. The brand is not compared, since the hash covers it: a
 * service that changes its brand keeps the keys it has issued.
 */
export function isWellFormed(text: string): boolean {
  if (!FORM.test(text)) return false;
  const headLength = text.length - CHECKSUM_LENGTH;
  let written = 0;
  for (let i = headLength; i < text.length; i++) written = written * ALPHABET.length + DIGITS[text.charCodeAt(i)]!;
  return written === crc32(text.slice(0, headLength));
}

/** The start of a key, by which people recognise it in lists: 166 of its 190 random bits stay unknown. */
export function startOf(key: string): string {
  return key.slice(0, SHOWN_LENGTH - RANDOM_LENGTH - CHECKSUM_LENGTH);
}

/** SHA-256 of a key, the only form in which it is stored. */
export function hashKey(key: string): Buffer {
  // Via a string: asking for a buffer takes Node's slow path, twice as long.
  return Buffer.from(hash('sha256', key, 'latin1'), 'latin1');
}

/** The part of the hash by which keys are looked up; the complete hash is then compared in constant time. */
export function hashHead(hash: Buffer): string {
  return hash.toString('hex', 0, 8);
}

/** A shell command that requests `path` with `key`. */
export function curlLine(key: string, url: string, path: string): string {
  return `curl -H 'Authorization: Bearer ${key}' '${url}${path}'`;
}

/** CRC-32 in base 62: catches every single typo and every swap of two neighbours. */
function checksum(head: string): string {
  let rest = crc32(head);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
