import { createHmac, hash, randomInt, timingSafeEqual } from 'node:crypto';
import { UsageError } from '../../pipeline/lib/errors.ts';

export const KEY_KINDS = ['live', 'test'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 32 characters of base 62 are 190 bits: impossible to guess, so storing an unsalted fast hash is enough. */
const RANDOM_LENGTH = 32;
/**
 * 6 characters of base 62 are 35 bits: one in 57 thousand million forged keys passes, and then there is no such key.
 * The first 6 bytes of the HMAC, 48 bits, are enough to compute them.
 */
const TAG_LENGTH = 6;
const TAG_BYTES = 6;
const SHOWN_RANDOM_LENGTH = 4;
const KEY_PATTERN = `[a-z][a-z0-9]{0,31}_(live|test)_[0-9A-Za-z]{${RANDOM_LENGTH + TAG_LENGTH}}`;
const WHOLE_KEY = new RegExp(`^${KEY_PATTERN}$`);
const KEYS_IN_TEXT = new RegExp(`\\b${KEY_PATTERN}\\b`, 'g');

/** `brand`, if it is a valid prefix of keys. @throws UsageError if not. */
export function checkBrand(brand: string): string {
  if (/^[a-z][a-z0-9]{0,31}$/.test(brand)) return brand;
  throw new UsageError(
    `brand: expected up to 32 lowercase letters and digits, starting with a letter, found '${brand}'`,
  );
}

/** A new key: `<brand>_<kind>_`, 32 random characters, and a tag of 6 made with the store's `tagSecret`. */
export function mintKey(brand: string, kind: KeyKind, tagSecret: Uint8Array): string {
  const untagged = `${brand}_${kind}_${randomText(RANDOM_LENGTH)}`;
  return untagged + keyTag(untagged, tagSecret);
}

/** `length` random characters of `alphabet`. */
export function randomText(length: number, alphabet = ALPHABET): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** Whether `text` looks like a key of this or any other service. */
export const looksLikeKey = (text: string): boolean => WHOLE_KEY.test(text);

/**
 * Whether `text` has the form of a key and a tag made with one of `tagSecrets`. The brand is not compared, since the
 * tag covers it: a service that changes its brand keeps the keys it has issued. Tags are compared in constant time,
 * which no test can tell from noise; were it otherwise, guessed tags would cost look-ups and still admit nobody.
 */
export function hasValidTag(text: string, tagSecrets: readonly Uint8Array[]): boolean {
  if (!looksLikeKey(text)) return false;
  const [untagged, tag] = [text.slice(0, -TAG_LENGTH), Buffer.from(text.slice(-TAG_LENGTH))];
  return tagSecrets.some((secret) => timingSafeEqual(Buffer.from(keyTag(untagged, secret)), tag));
}

/** The start of a key, by which people recognise it in lists: 166 of its 190 random bits stay unknown. */
export function keyStart(key: string): string {
  return key.slice(0, SHOWN_RANDOM_LENGTH - RANDOM_LENGTH - TAG_LENGTH);
}

/** `text` with only the start of every key in it. */
export const maskKeys = (text: string): string => text.replace(KEYS_IN_TEXT, (key) => `${keyStart(key)}…`);

/** SHA-256 of a key, the only form in which it is stored. */
export function hashKey(key: string): Buffer {
  // Via a string: asking for a buffer takes Node's slow path, twice as long.
  return Buffer.from(hash('sha256', key, 'latin1'), 'latin1');
}

/** A shell command that requests `path` with `key`. */
export function curlCommand(key: string, url: string, path: string): string {
  return `curl -H 'Authorization: Bearer ${key}' '${url}${path}'`;
}

/** The tag of a key whose other characters are `untagged`. */
function keyTag(untagged: string, tagSecret: Uint8Array): string {
  let remainder = createHmac('sha256', tagSecret).update(untagged).digest().readUIntBE(0, TAG_BYTES);
  let tag = '';
  for (let i = 0; i < TAG_LENGTH; i++) {
    tag = ALPHABET[remainder % ALPHABET.length] + tag;
    remainder = Math.floor(remainder / ALPHABET.length);
  }
  return tag;
}
