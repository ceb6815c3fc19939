import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sha256 } from '../../pipeline/engine/hash.ts';

/** How a command ended, and what it said. */
export interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Starts `malaria-risk` as a process of its own. */
export function start(
  args: readonly string[],
  options: { env?: Record<string, string>; preload?: string; cwd?: string } = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const preload = options.preload ? ['--import', options.preload] : [];
  const child = spawn(process.execPath, [...preload, path.join(ROOT, 'bin/malaria-risk.js'), ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, NODE_OPTIONS: '', ...options.env },
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => {
    said.stdout += data;
  });
  child.stderr.on('data', (data) => {
    said.stderr += data;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...said }));
  });
  return { child, ended };
}

/** Runs `malaria-risk` to its end. */
export function run(args: readonly string[], options?: Parameters<typeof start>[1]): Promise<Ended> {
  return start(args, options).ended;
}

/** An empty directory that goes with the test file. */
export function temporary(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'malaria-'));
  made.push(directory);
  return directory;
}
const made: string[] = [];

/** Removes what `temporary` made: setup.ts does so at the end of every test file. */
export function removeTemporary(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
}

/** Every file below a directory and the hash of its bytes. */
export function hashTree(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name))).sort();
  return Object.fromEntries(names.map((name) => [name, sha256(readFileSync(path.join(directory, name)))]));
}
