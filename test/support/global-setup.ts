/** Builds the tiny country once for all tests of a run. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { tinyCountry, writeCountry } from './tiny-files.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Output directory of the tiny country's build. Tests copy it and leave it as it is. */
    builtTiny: string;
  }
}

/** Several projects ask for it. */
const run = globalThis as { builtTiny?: { directory: string; done: Promise<unknown>; users: number } };

export default async function setup(project: TestProject): Promise<() => void> {
  run.builtTiny ??= start();
  const built = run.builtTiny;
  built.users += 1;
  await built.done;
  project.provide('builtTiny', path.join(built.directory, 'build'));
  return () => {
    built.users -= 1;
    if (built.users === 0) rmSync(built.directory, { recursive: true, force: true });
  };
}

function start() {
  const directory = mkdtempSync(path.join(tmpdir(), 'built-tiny-'));
  const country = path.join(directory, 'country');
  writeCountry(tinyCountry(), country);
  const malaria = path.resolve(import.meta.dirname, '../../bin/malaria-risk.js');
  const args = [malaria, 'build', '--country', country, '--out', path.join(directory, 'build')];
  return { directory, done: promisify(execFile)(process.execPath, args), users: 0 };
}
