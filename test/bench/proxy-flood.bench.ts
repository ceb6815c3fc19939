/**
 * A flood of well-formed forged keys, as many as wrk can send: how long requests wait whose keys are in use, or valid
 * but not yet seen by the proxy, with both kinds of store. Prints the times; exits with 1 on a wrong answer to a valid
 * key.
 *
 *   node test/bench/proxy-flood.bench.ts [--seconds 10] [--connections 64]
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { mintKey } from '../../proxy/store/key-format.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { openStore } from '../support/proxy/open-store.ts';
import { missingServers, startPostgres, startRedis } from '../support/proxy/real-servers.ts';
import { giveKey } from '../support/proxy/service.ts';
import { isInstalled, startNode } from './contenders.ts';
import { report } from './load.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, connections: { type: 'string', default: '64' } },
});
const seconds = Number(values.seconds);
const CLI = join(import.meta.dirname, '..', '..', 'proxy', 'cli', 'program.ts');
const FORGED = 400_000;
/** Interval between requests with valid keys of each kind, milliseconds. */
const ASK_MS = 10;

if (!isInstalled('wrk')) process.stdout.write('skipped: wrk is not installed (apt-get install wrk)\n');
else {
  const made = makeBuild();
  await flood('SQLite', made, made.store, 'sqlite');
  if (missingServers.length === 0) {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    await flood('PostgreSQL and Redis', made, postgres.url, redis.url);
    await Promise.all([postgres.remove(), redis.remove()]);
  }
  made.remove();
}

async function flood(form: string, { build, current }: ReturnType<typeof makeBuild>, store: string, limits: string) {
  const script = join(build, 'forged.lua');
  const keys = Array.from({ length: FORGED }, () => `'${mintKey('malaria', 'live')}'`);
  // Lua allows about 2^16 constants per function.
  const parts = Array.from({ length: FORGED / 10_000 }, (_, i) => keys.slice(i * 10_000, (i + 1) * 10_000).join(','));
  writeFileSync(
    script,
    `local keys = {}
     ${parts.map((part) => `(function() for _, k in ipairs({${part}}) do keys[#keys + 1] = k end end)()`).join(';\n')}
     local i = 0
     request = function() i = i % #keys + 1; return wrk.format('GET', '/v1/periods', { ['x-api-key'] = keys[i] }) end`,
  );
  const accounts = await openStore(store, limits);
  const known = await giveKey(accounts, { kind: 'test' });
  const unseen: string[] = [];
  // Create keys before the proxy starts: it copies changes once a second, so creating them later is slow.
  for (let i = 0; i < (seconds * 1000) / ASK_MS; i++) unseen.push((await giveKey(accounts, { kind: 'test' })).key);
  await accounts.close();
  const limit = ['--per-minute', '1000000', '--store', store, '--limits', limits];
  const proxy = await startNode('proxy', CLI, [
    'serve',
    '--json',
    '--port',
    '0',
    '--ops-port',
    '0',
    '--snapshot',
    current,
    ...limit,
  ]);
  const ask = async (key: string, times: number[], wrong: number[]) => {
    const from = performance.now();
    const { status } = await fetch(`${proxy.url}/v1/periods`, { headers: { 'x-api-key': key } });
    times.push(performance.now() - from);
    if (status !== 200) wrong.push(status);
  };
  const load = promisify(execFile)('wrk', [
    '-t1',
    `-c${values.connections}`,
    `-d${seconds + 1}s`,
    '--timeout',
    '10s',
    '-s',
    script,
    proxy.url,
  ]);
  await pause(500);
  const [ofKnown, ofUnseen, wrong]: number[][] = [[], [], []];
  const until = performance.now() + seconds * 1000;
  const asked: Promise<void>[] = [];
  while (performance.now() < until) {
    const next = unseen.pop();
    if (next) asked.push(ask(next, ofUnseen!, wrong!));
    asked.push(ask(known.key, ofKnown!, wrong!));
    await pause(ASK_MS);
  }
  await Promise.all(asked);
  const memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${proxy.pid}/status`, 'utf8'))![1]) / 1024;
  const forged = Number(/Requests\/sec:\s+([\d.]+)/.exec((await load).stdout)![1]);
  await proxy.stop();
  report(
    wrong!.length === 0,
    `${form}: ${forged.toFixed(0)} forged keys a second; known keys ${figures(ofKnown!)}; unseen keys ${figures(ofUnseen!)}; ${wrong!.length} answers other than 200; at most ${memory.toFixed(0)} MiB`,
  );
}

function figures(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1);
  return `${times.length} asked, median ${at(0.5)}, p99 ${at(0.99)} ms`;
}
