/** The commands of README.md and of the page on releases work as printed, one after the other, in a new directory. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporary } from '../support/command-line.ts';
import { tinyCountry, writeCountry } from '../support/tiny-country.ts';

const ROOT = path.join(import.meta.dirname, '../..');
let directory: string;
let environment: NodeJS.ProcessEnv;
let proxy: ChildProcess | undefined;

/** A checkout with the files of a country, in which KN is a state, as in the examples. */
beforeAll(async () => {
  directory = temporary();
  for (const name of ['package.json', 'pipeline', 'proxy', 'node_modules'])
    symlinkSync(path.join(ROOT, name), path.join(directory, name));
  const country = tinyCountry();
  country.model.states[0].state_code = 'KN';
  mkdirSync(path.join(directory, 'raw-data/nigeria'), { recursive: true });
  writeCountry(country, path.join(directory, 'raw-data/nigeria'));
  environment = { ...process.env, MALARIA_PORT: await freePort(), MALARIA_OPS_PORT: '0' };
});
afterAll(() => {
  if (proxy?.pid) process.kill(-proxy.pid);
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return String(port);
}

/** The commands of a page's shell blocks, without comments. */
const listCommands = (page: string): string[] =>
  [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)]
    .flatMap(([, block]) => block!.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/\s+#.*/, '').trim())
    .filter((line) => line !== '');

/** Runs a command with its placeholders replaced. @throws if it fails */
async function runPrinted(command: string, placeholders: Record<string, string>): Promise<string> {
  const filled = command
    .replace(/\b(DIR|REASON|VERSION|ID)\b/g, (name) => placeholders[name]!)
    .replace(':8080', `:${environment.MALARIA_PORT}`);
  const { stdout } = await promisify(execFile)('sh', ['-c', filled], { cwd: directory, env: environment });
  return stdout;
}

/** Starts a server and waits until it says that it serves. */
async function startProxy(command: string): Promise<void> {
  proxy = spawn('sh', ['-c', command], { cwd: directory, env: environment, detached: true });
  let output = '';
  for await (const chunk of proxy.stdout!) {
    output += chunk;
    if (output.includes('API at')) return;
  }
  throw new Error(`${command} ended: ${output}`);
}

test('the commands of the README, and then those of the page on releases', { timeout: 170_000 }, async () => {
  const placeholders: Record<string, string> = { DIR: 'raw-data/nigeria', REASON: '"a first version"' };
  // What `npm start` leaves: a version in build/current.
  await runPrinted('npx malaria-risk build --country raw-data/nigeria --publish', placeholders);
  const answers: Record<string, string> = {};
  for (const command of listCommands('README.md').filter((line) => !line.startsWith('npm ci'))) {
    if (command.startsWith('npx malaria-proxy serve')) await startProxy(command);
    else answers[command] = await runPrinted(command, placeholders);
    const created = answers[command] ?? '';
    environment.MALARIA_API_KEY ??= created.match(/\bmr_live_\w+/)?.[0];
    if (command.endsWith('keys list')) placeholders.ID = created.split('\n')[1]!.split(/\s/)[0]!;
    if (command.startsWith('npx malaria-risk publish')) placeholders.VERSION = created.match(/^Published (\S+):/)![1]!;
  }
  const request = Object.keys(answers).find((command) => command.startsWith('curl'))!;
  // The key was revoked just before; with it, the answer has scores only if the page says so in the other order.
  expect(JSON.parse(answers[request]!)).toHaveProperty('title');

  const pages = listCommands('pipeline/release/README.md').filter((line) => line.includes('--out build/nigeria'));
  expect(pages).toHaveLength(5);
  let listed = '';
  for (const command of pages) listed = await runPrinted(command, placeholders);
  expect(listed).toContain(placeholders.VERSION);
});
