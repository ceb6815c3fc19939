/** Servers with which the proxy is compared, each in a separate process that sends the same file. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Contender {
  name: string;
  url: string;
  pid: number;
  /** CPU time of all its processes so far, microseconds; null if the system does not report it. */
  cpuMicroseconds(): number | null;
  stop(): Promise<void>;
}

/** Whether `command` is installed on this machine. */
export function isInstalled(command: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
}

/** Starts a Node.js script whose first line of output is its address (or the JSON of `serve`). */
export async function startNode(name: string, script: string, args: string[]): Promise<Contender> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${name} did not start: exit code ${code}`);
    }),
  ])) as [string];
  const url = line.startsWith('{') ? (JSON.parse(line) as { url: string }).url : line;
  return { name, url, ...processOf(child) };
}

/**
 * Starts nginx with one worker, which sends what is below `root` with gzip_static and keeps its own files in `folder`.
 */
export async function startNginx(folder: string, root: string): Promise<Contender> {
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
     ${process.getuid?.() === 0 ? 'user root;' : ''}
     events { worker_connections 4096; }
     http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; default_type application/json;
       open_file_cache max=1000; ${paths.join(' ')}
       server { listen 127.0.0.1:${port} backlog=1024; root ${root}; gzip_static on; } }`,
  );
  const child = spawn('nginx', ['-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 50; tries++) {
    if (
      await fetch(`${url}/manifest.json`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { name: 'nginx', url, ...processOf(child) };
}

function processOf(child: ChildProcess): Pick<Contender, 'pid' | 'cpuMicroseconds' | 'stop'> {
  const ended = once(child, 'exit');
  return {
    pid: child.pid!,
    cpuMicroseconds: () => cpuOf(child.pid!),
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/**
 * User and system time of a process and its children, those that have ended included, from Linux's /proc (ticks of
 * 10 ms).
 */
export function cpuOf(pid: number): number | null {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10_000;
    return children.reduce((sum, child) => sum + (cpuOf(Number(child)) ?? 0), own);
  } catch {
    return null;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
