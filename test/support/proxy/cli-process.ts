/** Runs the real command line, in child processes or in this one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { run } from '../../../proxy/cli/program.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NODE = join(ROOT, 'node_modules', '.bin', 'node');
const CLI = join(ROOT, 'proxy', 'cli', 'program.ts');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The environment without any of the service's settings. */
function cleanEnv(env: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MALARIA_'));
  return { ...Object.fromEntries(inherited), ...env };
}

/** Runs a command to its end, through `wrapper` if given: a program that runs the rest of its arguments. */
export async function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  wrapper: readonly string[] = [],
): Promise<Finished> {
  const [program, ...rest] = [...wrapper, NODE, CLI, ...args];
  const child = spawn(program!, rest, { env: cleanEnv(env), stdio: ['ignore', 'pipe', 'pipe'] });
  const read = collect(child);
  const [code] = await once(child, 'close');
  return { code, ...read() };
}

/**
 * Runs a command to its end in this process, which saves the quarter of a second that a process takes to start. `env`
 * contains the service's settings in the environment.
 */
export async function runHere(args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  const text = { stdout: '', stderr: '' };
  const caught = (name: keyof typeof text) => (chunk: unknown) => {
    text[name] += String(chunk);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(caught('stdout')),
    vi.spyOn(process.stderr, 'write').mockImplementation(caught('stderr')),
    vi.spyOn(console, 'error').mockImplementation((line) => void caught('stderr')(`${line}\n`)),
  ];
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return { code: await run(args), ...text };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}

export interface Serving {
  child: ChildProcess;
  url: string;
  opsUrl: string;
  key: string | null;
  read(): { stdout: string; stderr: string };
  /** Sends `signal` and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `serve --json` on free ports and waits until it prints where it listens. */
export async function serveCli(args: string[], env: Record<string, string> = {}): Promise<Serving> {
  const child = spawn(NODE, [CLI, 'serve', '--json', '--port', '0', '--ops-port', '0', ...args], {
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const read = collect(child);
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await Promise.race([once(child.stdout!, 'data'), ended]);
  if (read().stdout === '') throw new Error(`serve did not start: ${read().stderr}`);
  const { url, ops_url: opsUrl, key } = JSON.parse(read().stdout.split('\n')[0]!);
  return {
    child,
    url,
    opsUrl,
    key,
    read,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}

/** How much of each output is kept: a long run writes more than a string can hold. */
const MOST_KEPT = 1 << 26;

function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8');
    child[name]!.on('data', (chunk: string) => {
      if (text[name].length < MOST_KEPT) text[name] += chunk;
    });
  }
  return () => ({ ...text });
}
