import { run as runCommand } from '../../pipeline/cli/program.ts';
import type { Ended } from './command-line.ts';

/** Commands run one at a time, because they share the process's output streams and exit code. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `malaria-risk` in this process, which saves the second or two that a new process needs to load and compile the
 * code. Tests about processes (signals, the environment, concurrency) use `run` of command-line.ts instead.
 */
export function runHere(args: readonly string[]): Promise<Ended> {
  const ended = last.then(() => capture(args));
  last = ended.catch(() => {});
  return ended;
}

async function capture(args: readonly string[]): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  const before = process.exitCode;
  const streams = ['stdout', 'stderr'] as const;
  const writes = streams.map((name) => process[name].write);
  for (const name of streams)
    process[name].write = (chunk: string | Uint8Array) => {
      output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      return true;
    };
  process.exitCode = undefined;
  try {
    await runCommand(args);
    return { code: Number(process.exitCode ?? 0), signal: null, ...output };
  } finally {
    process.exitCode = before;
    streams.forEach((name, i) => {
      process[name].write = writes[i]!;
    });
  }
}
