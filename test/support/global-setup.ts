/** Builds the tiny country once for all tests of a run. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { removeTemporary, temporary } from './command-line.ts';
import { tinyCountry, writeCountry } from './tiny-country.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Output directory of the tiny country's build. Tests must copy it, not change it. */
    builtTiny: string;
  }
}

/** Shared, because several projects call `setup`. */
const run = globalThis as { builtTiny?: Promise<string> };

export default async function setup(project: TestProject): Promise<() => void> {
  run.builtTiny ??= buildTiny();
  project.provide('builtTiny', await run.builtTiny);
  return removeTemporary;
}

async function buildTiny(): Promise<string> {
  const directory = temporary();
  const [country, out] = [path.join(directory, 'country'), path.join(directory, 'build')];
  writeCountry(tinyCountry(), country);
  const malaria = path.resolve(import.meta.dirname, '../../pipeline/cli/malaria-risk.js');
  await promisify(execFile)(process.execPath, [malaria, 'build', '--country', country, '--out', out, '--publish']);
  return out;
}
