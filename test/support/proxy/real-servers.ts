/** PostgreSQL servers for a test to stop, pause, kill and cut off; the machine's own is left alone. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const DEBIAN = '/usr/lib/postgresql';
const FOLDERS = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : []),
];
const find = (name: string) => FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));

/** The required programs that are missing on this machine. */
export const missingServers = ['initdb', 'postgres'].filter((name) => find(name) === undefined);
if (missingServers.length > 0) {
  console.error(`tests with real servers are skipped: no ${missingServers.join(', ')} (install postgresql)`);
}

/** PostgreSQL refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
}

export interface RealServer {
  url: string;
  port: number;
  /** The id of its main process, while it runs. */
  pid(): number;
  /** Lets none of its processes write beyond the first byte of a file, as if the disk were full. */
  fillDisk(): void;
  /** Starts it again, with the same port and files. */
  start(): Promise<void>;
  /** Stops it as an operator would. */
  stop(): Promise<void>;
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  remove(): Promise<void>;
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

/** `pid` and its children, such as PostgreSQL's for each connection. */
function family(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    return [pid, ...children];
  } catch {
    return [pid];
  }
}

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'malaria-pg-'));
  if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid!);
  return { folder, data: join(folder, 'data') };
}

/** Creates a data directory of PostgreSQL, in a folder of its own. */
export function initPostgres(): { folder: string; data: string } {
  const { folder, data } = newFolder();
  const init = ['-D', data, '-U', 'malaria', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  execFileSync(find('initdb')!, init, { ...nobody, cwd: folder, stdio: 'ignore' });
  return { folder, data };
}

/** Copies such a directory, in a tenth of the time that it takes to create one. */
function copyPostgres(from: string): { folder: string; data: string } {
  const { folder, data } = newFolder();
  execFileSync('cp', ['-a', from, data]);
  return { folder, data };
}

/**
 * @param from a data directory that `initPostgres` created; the server uses a copy of it
 * @param syncs whether it waits for the disk, as in production; tests need not
 */
export async function startPostgres(from?: string, syncs = false): Promise<RealServer> {
  const { folder, data } = from === undefined ? initPostgres() : copyPostgres(from);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'];
  if (!syncs) settings.push('fsync=off');
  const url = `postgres://malaria@127.0.0.1:${port}/postgres`;
  const options = ['-D', data, '-p', String(port), ...settings.flatMap((text) => ['-c', text])];
  let child: ChildProcess | null = null;
  const launch = () => {
    child = spawn(find('postgres')!, options, { ...nobody, cwd: folder, stdio: 'ignore' });
    return child;
  };
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of family(child!.pid!)) signalTo(pid, signal);
  };
  const end = async (how: NodeJS.Signals) => {
    if (!child) return;
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    signalAll('SIGCONT');
    // A kill must hit all processes of the server; otherwise PostgreSQL's children would stop properly.
    if (how === 'SIGKILL') signalAll(how);
    else signalTo(child.pid!, how);
    await ended;
    child = null;
  };
  const server: RealServer = {
    url,
    port,
    pid: () => child!.pid!,
    fillDisk() {
      for (const pid of family(child!.pid!)) execFileSync('prlimit', ['--pid', String(pid), '--fsize=1:'], nobody);
    },
    async start() {
      let started = launch();
      for (let tries = 0; tries < 200; tries++) {
        // PostgreSQL refuses to start while a process of the killed server still has its shared memory.
        if (started.exitCode !== null) started = launch();
        else if (await answers(url)) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`${url} did not come up`);
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async remove() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

async function answers(url: string): Promise<boolean> {
  const pg = await import('pg');
  const client = new pg.default.Client({ connectionString: url });
  // The server may be killed before the connection has ended.
  client.on('error', () => {});
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

/** A connection to a server that can be cut, or stalled: then it stays open but passes nothing on. */
export interface Relay {
  port: number;
  cut(): void;
  stall(): void;
  heal(): void;
  close(): void;
}

export async function startRelay(to: number): Promise<Relay> {
  const pairs = new Set<[Socket, Socket]>();
  let state: 'open' | 'cut' | 'stalled' = 'open';
  const server: Server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(to, '127.0.0.1');
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [from, into] of [pair, pair.toReversed()] as [Socket, Socket][]) {
      from.on('error', () => {});
      from.on('data', (chunk) => into.write(chunk));
      from.on('close', () => {
        into.destroy();
        pairs.delete(pair);
      });
      if (state === 'stalled') from.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    state = 'cut';
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut,
    stall() {
      state = 'stalled';
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    heal() {
      state = 'open';
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    close() {
      cut();
      server.close();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
