/**
 * The way of proxy/deploy/upgrade.md: from this version to a made-up 1.1.0 and back, while a client asks all the time.
 * Each version is a copy of this checkout.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { makeBuild } from '../support/proxy/fixture.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const NEW_COLUMN = 'ALTER TABLE accounts ADD COLUMN later TEXT';
const { version: VERSION } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));

interface Program {
  version: string;
  run(...args: string[]): Promise<string>;
  /** Serves on `port`, and resolves once it listens. */
  serve(port: number): Promise<{ opsUrl: string; stop(): Promise<void> }>;
}

/** A copy of this checkout's proxy, changed as a later version would be. */
function install(folder: string, settings: string[], version: string, migration: string | null): Program {
  mkdirSync(folder);
  for (const part of ['pipeline', 'proxy']) cpSync(path.join(ROOT, part), path.join(folder, part), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const packageJson = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(Object.assign(packageJson, { version })));
  const schemaFile = path.join(folder, 'proxy/store/database.ts');
  const schema = readFileSync(schemaFile, 'utf8');
  const migratedSchema = migration === null ? schema : schema.replace('.sql`)];', `.sql\`), '${migration}'];`);
  expect(migratedSchema === schema).toBe(migration === null);
  writeFileSync(schemaFile, migratedSchema);
  const command = path.join(folder, 'proxy/cli/malaria-proxy.js');
  const store = settings.slice(0, 2);
  return {
    version,
    async run(...args) {
      const options = args[0] === '--version' ? args : [...args, ...store];
      return (await promisify(execFile)(process.execPath, [command, ...options])).stdout;
    },
    async serve(port) {
      const ports = ['--port', String(port), '--ops-port', '0'];
      const child: ChildProcess = spawn(process.execPath, [command, 'serve', '--json', ...ports, ...settings], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const [line] = await once(createInterface({ input: child.stdout! }), 'line');
      return {
        opsUrl: JSON.parse(line).ops_url,
        async stop() {
          child.kill('SIGTERM');
          expect(await once(child, 'exit')).toEqual([0, null]);
        },
      };
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await once(server.close(), 'close');
  return port;
}

/** Asks the ports in turn until the returned function is called: the next one at once if the first refuses. */
function startTraffic(ports: readonly number[], key: string) {
  const statuses: Record<number, number> = {};
  let [unanswered, isOver] = [0, false];
  const ask = async () => {
    for (const port of ports) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`http://127.0.0.1:${port}/v1/periods`, { headers }).catch(() => null);
      if (response === null) continue;
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      return;
    }
    unanswered++;
  };
  const asking = (async () => {
    for (; !isOver; await pause(50)) await ask();
  })();
  return async () => {
    isOver = true;
    await asking;
    return { statuses, unansweredSeconds: unanswered * 0.05 };
  };
}

async function setUp() {
  const { current, store, remove } = makeBuild();
  onTestFinished(remove);
  const folder = mkdtempSync(path.join(tmpdir(), 'malaria-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const settings = ['--store', store, '--snapshot', current];
  const before = install(path.join(folder, 'before'), settings, VERSION, null);
  await before.run('create-store');
  await before.run('accounts', 'create-organisation', 'ministry');
  await before.run('accounts', 'limits', 'ministry', '--per-minute', '100000');
  const createKey = async (program: Program, name: string): Promise<string> => {
    const options = ['--owner', 'ministry', '--name', name, '--kind', 'test', '--scopes', 'risk_scores', '--json'];
    return JSON.parse(await program.run('keys', 'create', ...options)).key;
  };
  return { folder, settings, before, createKey, ports: [await freePort(), await freePort()] as const };
}

const servedVersion = async (opsUrl: string) =>
  /^malaria_build_info\{version="([^"]+)"/m.exec(await (await fetch(`${opsUrl}/metrics`)).text())![1];

test('while the schema stays, both versions serve side by side, and no request is lost either way', async () => {
  const { folder, settings, before, createKey, ports } = await setUp();
  const after = install(path.join(folder, 'after'), settings, '1.1.0', null);
  const key = await createKey(before, 'client');
  const old = await before.serve(ports[0]);
  const endTraffic = startTraffic(ports, key);
  const upgraded = await after.serve(ports[1]);
  expect([await servedVersion(old.opsUrl), await servedVersion(upgraded.opsUrl)]).toEqual([VERSION, '1.1.0']);
  await old.stop();
  await pause(500);
  const again = await before.serve(ports[0]);
  await upgraded.stop();
  await pause(500);
  const { statuses, unansweredSeconds } = await endTraffic();
  expect([Object.keys(statuses), unansweredSeconds]).toEqual([['200'], 0]);
  await again.stop();
});

test('a version with another schema migrates the store; the backup leads back', async () => {
  const { folder, settings, before, createKey, ports } = await setUp();
  const after = install(path.join(folder, 'after'), settings, '1.1.0', NEW_COLUMN);
  expect(await before.run('--version')).toMatch(/, store schema 1, /);
  expect(await after.run('--version')).toMatch(/^1\.1\.0 \(contract [\d.]+, store schema 2, /);
  const [port] = ports;
  const key = await createKey(before, 'client');
  const old = await before.serve(port);
  const endTraffic = startTraffic([port], key);
  const backup = path.join(folder, 'before-upgrade.sqlite');
  await before.run('backup', backup);
  await old.stop();
  const upgraded = await after.serve(port);
  expect(await servedVersion(upgraded.opsUrl)).toBe('1.1.0');
  const laterKey = await createKey(after, 'later');
  await expect(before.run('keys', 'list')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('schema 2 of a newer malaria-proxy; this version supports 1'),
  });
  await upgraded.stop();
  await before.run('restore', backup, '--forget');
  const again = await before.serve(port);
  expect(await servedVersion(again.opsUrl)).toBe(VERSION);
  await pause(500);
  const { statuses, unansweredSeconds } = await endTraffic();
  expect(Object.keys(statuses)).toEqual(['200']);
  process.stdout.write(`without an answer for ${unansweredSeconds.toFixed(1)} s, up and back together\n`);
  const headers = { authorization: `Bearer ${laterKey}` };
  expect((await fetch(`http://127.0.0.1:${port}/v1/periods`, { headers })).status).toBe(401);
  await again.stop();
});
