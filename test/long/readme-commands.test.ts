/** The commands of README.md and of the pages that it leads to work as printed, one after the other, in a new clone. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { temporary } from '../support/command-line.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const clone = temporary();
const environment: NodeJS.ProcessEnv = { ...process.env, MALARIA_OPS_PORT: '0' };
let server: ChildProcess | undefined;
afterAll(() => stopServer());

async function freePort(): Promise<string> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  listener.close();
  return String(port);
}

/** The commands of a page's shell blocks, without comments. */
const listCommands = (page: string): string[] =>
  [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)]
    .flatMap(([, block]) => block!.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/\s+#.*/, '').trim())
    .filter((line) => line !== '');

const placeholders: Record<string, string> = { DIR: 'raw-data/nigeria', REASON: '"a first version"' };
const fillIn = (command: string) =>
  command
    .replace(/\b(DIR|REASON|VERSION|ID)\b/g, (name) => placeholders[name]!)
    .replace(':8080', `:${environment.MALARIA_PORT}`);

/** Runs a command as printed. @throws if it fails */
async function runCommand(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', fillIn(command)], { cwd: clone, env: environment });
  return stdout;
}

/** Starts a server and waits until its output has `text`. */
async function startServer(command: string, text: string): Promise<string> {
  server = spawn('sh', ['-c', `${fillIn(command)} 2>&1`], { cwd: clone, env: environment, detached: true });
  let output = '';
  for await (const chunk of server.stdout!) {
    output += chunk;
    if (output.includes(text)) return output;
  }
  throw new Error(`${command} ended: ${output}`);
}

async function stopServer(): Promise<void> {
  if (!server?.pid || server.exitCode !== null) return;
  process.kill(-server.pid);
  await once(server, 'close');
}

test('README.md, raw-data/README.md and the page on releases', { timeout: 300_000 }, async () => {
  for (const name of ['package.json', 'package-lock.json', 'pipeline', 'proxy', 'node_modules'])
    symlinkSync(path.join(ROOT, name), path.join(clone, name));
  environment.MALARIA_PORT = await freePort();
  const [start = '', , ...commands] = listCommands('README.md');

  const started = await startServer(start.replace('npm ci && ', ''), 'curl -H');
  expect(started).not.toContain('before publishing');
  expect(await runCommand(started.match(/curl -H .*/)![0])).toMatch(/"lga_code"|"state_code"/);
  await stopServer();

  // The made-up country in place of Nigeria's files. Its stages need not run again.
  const rawData = path.join(clone, 'raw-data/nigeria');
  cpSync(path.join(clone, 'raw-data/synthetic'), rawData, { recursive: true });
  mkdirSync(path.join(clone, 'build/nigeria'));
  symlinkSync('../cache', path.join(clone, 'build/nigeria/cache'));
  const answers: Record<string, string> = {};
  for (const command of commands) {
    if (command.startsWith('npx malaria-proxy serve')) await startServer(command, 'API at');
    else answers[command] = await runCommand(command);
    const answer = answers[command] ?? '';
    environment.MALARIA_API_KEY ??= answer.match(/\b[a-z0-9]+_live_\w{38}\b/)?.[0];
    placeholders.ID ??= answer.match(/^live key (\S+) for/m)?.[1] as string;
    if (command.startsWith('npx malaria-risk publish')) placeholders.VERSION = answer.match(/^Published (\S+):/)![1]!;
  }
  const request = Object.keys(answers).find((command) => command.startsWith('curl'))!;
  expect(JSON.parse(answers[request]!).lgas[0].score).toBeGreaterThan(0);

  const releases = listCommands('pipeline/release/README.md').filter((line) => line.includes('--out build/nigeria'));
  expect(releases).toHaveLength(5);
  let listed = '';
  for (const command of releases) listed = await runCommand(command);
  expect(listed).toContain(placeholders.VERSION);

  // One more month of cases: that of a year ago.
  const cases = readFileSync(path.join(rawData, 'cases/states.csv'), 'utf8');
  const january = cases.match(/^.*\b2023-?01\b.*\n/gm)!;
  writeFileSync(path.join(clone, 'new.csv'), cases);
  appendFileSync(path.join(clone, 'new.csv'), january.join('').replace(/2023(-?01)/g, '2024$1'));
  const [dryRun, update, ...more] = listCommands('raw-data/README.md');
  expect(more).toEqual([]);
  await expect(runCommand(dryRun!)).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('--accept') });
  expect(await runCommand(update!)).toContain('Accepted.');
});
