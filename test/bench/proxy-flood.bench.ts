/**
 * A flood, as fast as wrk can send it: how long requests wait whose keys are in use, or valid but not yet seen by the
 * proxy, with both kinds of store. The flood has forged keys, which fail on their tag, or revoked, expired or
 * over-limit keys, which reach the store. Prints the times; exits with 1 on a wrong answer to a valid key, or if these
 * take longer than a median of 100 ms or a p99 of 500 ms.
 *
 *   node test/bench/proxy-flood.bench.ts [--seconds 10] [--connections 64]
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import type { AccountStore } from '../../proxy/store/account-store.ts';
import { mintKey } from '../../proxy/store/key-format.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { openStore } from '../support/proxy/open-store.ts';
import { missingServers, startPostgres } from '../support/proxy/real-servers.ts';
import { giveKey } from '../support/proxy/service.ts';
import { isInstalled, startNode } from './contenders.ts';
import { report } from './load.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, connections: { type: 'string', default: '64' } },
});
const seconds = Number(values.seconds);
const CLI = join(import.meta.dirname, '..', '..', 'proxy', 'cli', 'program.ts');
const FORGED = 200_000;
/** Revoked and expired keys, as many as owners have; and over-limit keys. */
const ENDED = 2000;
const [MOST_MEDIAN_MS, MOST_P99_MS] = [100, 500];

type Sort = 'forged' | 'revoked' | 'expired' | 'over-limit';
const SORTS: readonly Sort[] = ['forged', 'revoked', 'expired', 'over-limit'];
/** Interval between requests with valid keys of each kind, milliseconds. */
const ASK_MS = 10;

if (!isInstalled('wrk')) process.stdout.write('skipped: wrk is not installed (apt-get install wrk)\n');
else {
  for (const sort of SORTS) {
    const made = makeBuild();
    await flood('SQLite', sort, made, made.store);
    if (missingServers.length === 0) {
      const postgres = await startPostgres(undefined, { syncs: true });
      await flood('PostgreSQL', sort, made, postgres.url);
      await postgres.remove();
    }
    made.remove();
  }
}

/** The keys of a flood. */
async function keysOf(sort: Sort, accounts: AccountStore): Promise<string[]> {
  if (sort === 'forged') {
    const secret = randomBytes(32);
    return Array.from({ length: FORGED }, () => mintKey('malaria', 'live', secret));
  }
  const keys: string[] = [];
  for (let i = 0; i < ENDED; i++) {
    const expiresAt = sort === 'expired' ? Date.now() - 1 : null;
    const { id, key } = await giveKey(accounts, { owner: 'flood', expiresAt });
    if (sort === 'revoked') await accounts.revokeKey(id, Date.now());
    keys.push(key);
  }
  if (sort === 'over-limit') await accounts.setLimits('flood', { perMonth: 1 });
  return keys;
}

async function flood(form: string, sort: Sort, { build, current }: ReturnType<typeof makeBuild>, store: string) {
  const accounts = await openStore(store);
  const keys = (await keysOf(sort, accounts)).map((key) => `'${key}'`);
  const script = join(build, 'flood.lua');
  // Lua allows about 2^16 constants per function.
  const parts = Array.from({ length: Math.ceil(keys.length / 10_000) }, (_, i) =>
    keys.slice(i * 10_000, (i + 1) * 10_000).join(','),
  );
  writeFileSync(
    script,
    `local keys = {}
     ${parts.map((part) => `(function() for _, k in ipairs({${part}}) do keys[#keys + 1] = k end end)()`).join(';\n')}
     local i = 0
     request = function() i = i % #keys + 1; return wrk.format('GET', '/v1/periods', { ['x-api-key'] = keys[i] }) end`,
  );
  const known = await giveKey(accounts, { kind: 'test' });
  const unseen: string[] = [];
  for (let i = 0; i < (seconds * 1000) / ASK_MS; i++) unseen.push((await giveKey(accounts, { kind: 'test' })).key);
  await accounts.close();
  const ports = ['--port', '0', '--ops-port', '0', '--per-minute', '1000000'];
  const args = ['serve', '--json', ...ports, '--snapshot', current, '--store', store];
  const proxy = await startNode('proxy', CLI, args);
  const ask = async (key: string, times: number[], wrong: number[]) => {
    const from = performance.now();
    const { status } = await fetch(`${proxy.url}/v1/periods`, { headers: { 'x-api-key': key } });
    times.push(performance.now() - from);
    if (status !== 200) wrong.push(status);
  };
  const [ofKnown, ofUnseen, wrong]: number[][] = [[], [], []];
  // The flood comes upon a proxy in service: the first thousands of requests of a process also wait for its compiler.
  const wrk = (...args: string[]) => promisify(execFile)('wrk', ['-t1', '--timeout', '10s', ...args]);
  await wrk('-c8', '-d3s', '-H', `x-api-key: ${known.key}`, `${proxy.url}/v1/periods`);
  const load = wrk(`-c${values.connections}`, `-d${seconds + 1}s`, '-s', script, proxy.url);
  await pause(500);
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
  const slowest = [ofKnown!, ofUnseen!].map((times) => [at(times, 0.5), at(times, 0.99)] as const);
  report(
    wrong!.length === 0 && slowest.every(([median, p99]) => median <= MOST_MEDIAN_MS && p99 <= MOST_P99_MS),
    `${form}: ${forged.toFixed(0)} ${sort} keys a second; known keys ${figures(ofKnown!)}; unseen keys ${figures(ofUnseen!)}; ${wrong!.length} answers other than 200; at most ${memory.toFixed(0)} MiB`,
  );
}

/** The time that this share of `times` does not exceed. */
function at(times: number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))]!;
}

function figures(times: number[]): string {
  return `${times.length} asked, median ${at(times, 0.5).toFixed(1)}, p99 ${at(times, 0.99).toFixed(1)} ms`;
}
