import { run as runCommand } from '../../pipeline/cli.ts';
import type { Ended } from './command-line.ts';

/** Commands wait for each other: what one writes goes where the process writes, and its exit code is the process's. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `malaria-risk` to its end in this process, which spares the second or two that one of its own takes to load and
 * compile the code. What is about processes (signals, the environment, two at once) takes `run` of command-line.ts.
 */
export function runHere(args: readonly string[]): Promise<Ended> {
  const ended = last.then(() => capture(args));
  last = ended.catch(() => {});
  return ended;
}

async function capture(args: readonly string[]): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const before = process.exitCode;
  const streams = ['stdout', 'stderr'] as const;
  const writes = streams.map((name) => process[name].write);
  for (const name of streams)
    process[name].write = (chunk: string | Uint8Array) => {
      said[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      return true;
    };
  process.exitCode = undefined;
  try {
    await runCommand(args);
    return { code: Number(process.exitCode ?? 0), signal: null, ...said };
  } finally {
    process.exitCode = before;
    streams.forEach((name, i) => {
      process[name].write = writes[i]!;
    });
  }
}
