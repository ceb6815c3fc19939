import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sha256 } from '../../pipeline/lib/hash.ts';

/** The exit status and the output of a command. */
export interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Starts `malaria-risk` as a separate process. */
export function start(
  args: readonly string[],
  options: { env?: Record<string, string>; preload?: string; cwd?: string } = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const preload = options.preload ? ['--import', options.preload] : [];
  const child = spawn(process.execPath, [...preload, path.join(ROOT, 'pipeline/cli/malaria-risk.js'), ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, NODE_OPTIONS: '', ...options.env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => {
    output.stdout += data;
  });
  child.stderr.on('data', (data) => {
    output.stderr += data;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return { child, ended };
}

/** Runs `malaria-risk` as a separate process and waits until it ends. */
export function run(args: readonly string[], options?: Parameters<typeof start>[1]): Promise<Ended> {
  return start(args, options).ended;
}

/** An empty directory that is removed after the test file. */
export function temporary(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'malaria-'));
  directories.push(directory);
  return directory;
}
const directories: string[] = [];

/** Removes the directories that `temporary` created; setup.ts calls it after every test file. */
export function removeTemporary(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
}

/** The hash of every file below a directory, by relative path. */
export function hashTree(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name))).sort();
  return Object.fromEntries(names.map((name) => [name, sha256(readFileSync(path.join(directory, name)))]));
}
