/**
 * Reads mutations of small valid files in every format for 20 s, or FILES_FUZZ_SECONDS if set: each must be read or
 * refused in one line, within 10 s of CPU time and a gibibyte. FILES_FUZZ_SEED sets the first seed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { temporary } from '../support/command-line.ts';

const SECONDS = Number(process.env.FILES_FUZZ_SECONDS ?? 20);
const FIRST = Number(process.env.FILES_FUZZ_SEED ?? 100_000);
/** Seeds that have found something. */
const KEPT = [19, 290, 295, 14_385, 21_908];
/** A file for which no line follows within this time is one that never ends. */
const STUCK_MS = 60_000;

test(`${SECONDS} s of mutated files (from seed ${FIRST})`, { timeout: SECONDS * 1000 + 300_000 }, async () => {
  const program = path.resolve(import.meta.dirname, '../support/hostile-files.ts');
  const child = spawn(process.execPath, [program, temporary(), ...KEPT.map(String), `${FIRST}-`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const ended = once(child, 'exit');
  const errors = text(child.stderr);
  let [last, files] = ['no file', 0];
  let [isStuck, isOver] = [false, false];
  const stop = () => {
    isStuck = true;
    child.kill('SIGKILL');
  };
  let watchdog = setTimeout(stop, STUCK_MS);
  child.stdout.once('data', () =>
    setTimeout(() => {
      isOver = true;
      child.kill('SIGKILL');
    }, SECONDS * 1000),
  );
  child.stdout.on('data', (lines: Buffer) => {
    clearTimeout(watchdog);
    watchdog = setTimeout(stop, STUCK_MS);
    const complete = String(lines).trim().split('\n');
    last = complete.at(-1)!;
    files += complete.length;
  });
  await ended;
  clearTimeout(watchdog);
  process.stdout.write(`${files} mutated files\n`);
  expect({ isOver, isStuck, errors: await errors }, last).toEqual({ isOver: true, isStuck: false, errors: '' });
});
