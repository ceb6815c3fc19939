import type { InputLocation } from '../../lib/bad-input.ts';

/** Whole numbers of so many digits may be more than 2^53, the largest that a number holds exactly. */
const LONG_NUMBER = /[:[,]\s*-?\d{16,}\s*[,}\]]/;

/**
 * The content of a JSON file in UTF-8, with or without a byte-order mark. Whole numbers beyond 2^53, which are ids, are
 * texts.
 * @throws BadInput for anything else
 */
export function parseJson(bytes: Uint8Array, location: InputLocation, expected: string): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!LONG_NUMBER.test(text)) return JSON.parse(text);
    const keepDigits = (_: string, value: unknown, { source = '' }: { source?: string }) =>
      typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
    return (JSON.parse as (text: string, reviver: typeof keepDigits) => unknown)(text, keepDigits);
  } catch (cause) {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b)
      throw location.error('a compressed file (gzip)', `${expected}: unpack it with gunzip`);
    if (!(cause instanceof SyntaxError)) throw location.error('bytes that are not UTF-8', expected);
    throw location.error(`text that is not valid JSON (${cause.message})`, `${expected}; is the file cut short?`);
  }
}
