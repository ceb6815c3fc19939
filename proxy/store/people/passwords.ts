import { argon2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { UsageError } from '../../../pipeline/lib/errors.ts';

const argon2Async = promisify(argon2);

/**
 * Argon2id with 19 MiB, two passes, one lane: the first choice of OWASP's password storage cheat sheet. Changes apply
 * to new hashes only; each hash carries its parameters.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PHC_FORMAT = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

export const MIN_PASSWORD_LENGTH = 12;
/** Nobody types more, and hashing takes time. */
export const MAX_PASSWORD_LENGTH = 200;

/**
 * Hashing shares Node's thread pool with the API's file reads, so few run at once; the rest wait, up to a bound. People
 * who have signed in before have no bound, and go first: attempts are limited for each of their browsers.
 */
const MAX_RUNNING = 2;
const MAX_WAITING = 50;

/** More passwords are waiting to be checked than allowed. */
export class TooBusy extends Error {}

let running = 0;
const waiting: (() => void)[] = [];
const knownWaiting: (() => void)[] = [];

async function limitConcurrency<T>(work: () => Promise<T>, isKnown = false): Promise<T> {
  if (running >= MAX_RUNNING) {
    if (!isKnown) refuseIfFull();
    await new Promise<void>((resolve) => (isKnown ? knownWaiting : waiting).push(resolve));
  } else {
    running++;
  }
  try {
    return await work();
  } finally {
    const next = knownWaiting.shift() ?? waiting.shift();
    if (next) next();
    else running--;
  }
}

function refuseIfFull(): void {
  if (waiting.length >= MAX_WAITING) throw new TooBusy('too many passwords to check at once');
}

/** A single encoding for characters that can be typed in several ways (NFKC, as NIST SP 800-63B advises). */
const normalizedBytes = (password: string) => Buffer.from(password.normalize('NFKC'));

/** The usual string format (PHC): parameters, salt and hash. */
function toPhc(salt: Buffer, hash: Buffer): string {
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(salt)}$${base64(hash)}`;
}

/** The text to store for `password`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const options = { ...COST, message: normalizedBytes(password), nonce: salt, tagLength: HASH_BYTES };
  return toPhc(salt, (await limitConcurrency(() => argon2Async('argon2id', options))) as Buffer);
}

/** Checked if there is no such person, so that the answer takes just as long. No password matches it. */
const UNMATCHABLE_HASH = toPhc(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

/** Milliseconds that the latest checks took, with their wait; not of people who go first. */
const recentDurationsMs: number[] = [];
const RECENT_COUNT = 20;

/**
 * Whether `password` matches `storedHash`, which is null if there is no such person. That takes just as long: a
 * password is hashed if no other is being hashed, else this waits as long as one of the latest checks took. So a flood
 * of sign-ins under made-up names neither delays people who exist nor reveals who does. `isKnown`: the person has
 * signed in with the browser before.
 */
export async function checkPassword(password: string, storedHash: string | null, isKnown = false): Promise<boolean> {
  if (storedHash === null && running > 0 && recentDurationsMs.length > 0) {
    refuseIfFull();
    await pause(recentDurationsMs[randomInt(recentDurationsMs.length)]);
    return false;
  }
  const startedAt = performance.now();
  const [, memory, passes, parallelism, salt, hash] =
    PHC_FORMAT.exec(storedHash ?? UNMATCHABLE_HASH) ?? PHC_FORMAT.exec(UNMATCHABLE_HASH)!;
  const expected = Buffer.from(hash!, 'base64');
  const options = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    message: normalizedBytes(password.slice(0, MAX_PASSWORD_LENGTH)),
    nonce: Buffer.from(salt!, 'base64'),
    tagLength: expected.length,
  };
  const actual = (await limitConcurrency(() => argon2Async('argon2id', options), isKnown)) as Buffer;
  if (!isKnown && recentDurationsMs.push(performance.now() - startedAt) > RECENT_COUNT) recentDurationsMs.shift();
  return timingSafeEqual(actual, expected) && password.length <= MAX_PASSWORD_LENGTH;
}

/** Words that a guesser would try first here; the last four are the best-known passphrase of all. */
const SERVICE_WORDS = 'malaria risk data service nigeria correct horse battery staple';
/** The threshold of zxcvbn's highest score: more guesses than an attacker with stolen slow hashes would make. */
const MIN_GUESSES = 1e10;

/**
 * Checks length and guessability rather than composition, as NIST SP 800-63B advises. Spaces, words about the service
 * and words of `personalTexts`, which others know about the person, do not count.
 * @throws UsageError with advice on what to change.
 */
export async function checkNewPassword(password: string, personalTexts: readonly string[]): Promise<void> {
  if (password.length < MIN_PASSWORD_LENGTH) throw new UsageError(`Use at least ${MIN_PASSWORD_LENGTH} characters.`);
  if (password.length > MAX_PASSWORD_LENGTH) throw new UsageError(`Use at most ${MAX_PASSWORD_LENGTH} characters.`);
  const words = [SERVICE_WORDS, ...personalTexts]
    .flatMap((text) => text.normalize('NFKC').split(/[^\p{L}\p{M}\p{N}]+/u))
    .filter((word) => word.length > 2);
  const ignoredText = new RegExp(`\\s|${words.map(RegExp.escape).join('|')}`, 'giu');
  const workerData = { password: password.normalize('NFKC').replace(ignoredText, ''), words };
  const [guesses] = await limitConcurrency(() =>
    once(new Worker(new URL('guesses.ts', import.meta.url), { workerData }), 'message'),
  );
  if (guesses < MIN_GUESSES) {
    throw new UsageError(
      'This is easy to guess. Use several words that do not belong together, and not your name or email.',
    );
  }
}
