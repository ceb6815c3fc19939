import { argon2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { UsageError } from '../../../pipeline/lib/errors.ts';

const derive = promisify(argon2);

/**
 * Argon2id with 19 MiB, two passes, one lane: the first choice of OWASP's password storage cheat sheet. Changes apply
 * to new hashes only; each hash carries its parameters.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

export const SHORTEST_PASSWORD = 12;
/** Nobody types more, and hashing takes time. */
export const LONGEST_PASSWORD = 200;

/** Hashing shares Node's thread pool with the API's file reads, so few run at once; the rest wait, up to a bound. */
const AT_ONCE = 2;
const MOST_WAITING = 50;

/** More passwords are waiting to be checked than allowed. */
export class TooBusy extends Error {}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MOST_WAITING) throw new TooBusy('too many passwords to check at once');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running++;
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** A single encoding for characters that can be typed in several ways (NFKC, as NIST SP 800-63B advises). */
const message = (password: string) => Buffer.from(password.normalize('NFKC'));

/** The usual string format (PHC): parameters, salt and hash. */
function toPhc(salt: Buffer, hash: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${text(salt)}$${text(hash)}`;
}

/** The text to store for `password`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const options = { ...COST, message: message(password), nonce: salt, tagLength: HASH_BYTES };
  return toPhc(salt, (await inTurn(() => derive('argon2id', options))) as Buffer);
}

/** Checked if there is no such person, so that the answer takes just as long. No password matches it. */
const NOBODY = toPhc(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

/** Milliseconds that the latest checks took, with their wait. */
const latest: number[] = [];
const REMEMBERED = 20;

/**
 * Whether `password` matches `stored`. Takes just as long if `stored` is null: then a password is hashed only if no other
 * is, else the time of one of the latest checks is waited. So a flood of sign-ins under made-up names neither takes the
 * turn of people who exist nor shows who does.
 */
export async function checkPassword(password: string, stored: string | null): Promise<boolean> {
  if (stored === null && running > 0 && latest.length > 0) {
    await pause(latest[randomInt(latest.length)]);
    return false;
  }
  const begin = performance.now();
  const [, memory, passes, parallelism, salt, hash] = FORM.exec(stored ?? NOBODY) ?? FORM.exec(NOBODY)!;
  const expected = Buffer.from(hash!, 'base64');
  const derived = (await inTurn(() =>
    derive('argon2id', {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      message: message(password.slice(0, LONGEST_PASSWORD)),
      nonce: Buffer.from(salt!, 'base64'),
      tagLength: expected.length,
    }),
  )) as Buffer;
  if (latest.push(performance.now() - begin) > REMEMBERED) latest.shift();
  return timingSafeEqual(derived, expected) && password.length <= LONGEST_PASSWORD;
}

/** Words that a guesser would try first here; the last four are the best-known passphrase of all. */
const GUESSED_FIRST = 'malaria risk data service nigeria correct horse battery staple';
/** The threshold of zxcvbn's highest score: more guesses than an attacker with stolen slow hashes would make. */
const FEWEST_GUESSES = 1e10;

/**
 * Checks length and guessability rather than composition, as NIST SP 800-63B advises. Spaces, words about the service
 * and words from `about`, which others know about the person, do not count.
 * @throws UsageError with advice on what to change.
 */
export async function checkNewPassword(password: string, about: readonly string[]): Promise<void> {
  if (password.length < SHORTEST_PASSWORD) throw new UsageError(`Use at least ${SHORTEST_PASSWORD} characters.`);
  if (password.length > LONGEST_PASSWORD) throw new UsageError(`Use at most ${LONGEST_PASSWORD} characters.`);
  const words = [GUESSED_FIRST, ...about]
    .flatMap((text) => text.normalize('NFKC').split(/[^\p{L}\p{M}\p{N}]+/u))
    .filter((word) => word.length > 2);
  const guessable = new RegExp(`\\s|${words.map(RegExp.escape).join('|')}`, 'giu');
  const workerData = { password: password.normalize('NFKC').replace(guessable, ''), words };
  const [guesses] = await inTurn(() =>
    once(new Worker(new URL('guesses.ts', import.meta.url), { workerData }), 'message'),
  );
  if (guesses < FEWEST_GUESSES) {
    throw new UsageError(
      'This is easy to guess. Use several words that do not belong together, and not your name or email.',
    );
  }
}
