/**
 * One, two and four proxies on one PostgreSQL compared with a single proxy with SQLite (embedded): wrk, 64 connections
 * in total, 2,000 keys of as many owners, the answer of /v1/periods. Rounds are interleaved, and medians over rounds
 * are printed. On a busy machine or one with few cores, CPU time per request, of proxies and of PostgreSQL, is the more
 * stable figure.
 *
 *   node test/bench/proxies-speed.bench.ts [--rounds 5] [--seconds 2] [--keys 2000]
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { median } from '../../pipeline/lib/numerics/averages.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { openStore } from '../support/proxy/open-store.ts';
import { missingServers, startPostgres } from '../support/proxy/real-servers.ts';
import { giveKey } from '../support/proxy/service.ts';
import { type Contender, cpuOf, isInstalled, startNode } from './contenders.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    keys: { type: 'string', default: '2000' },
  },
});
const CLI = join(import.meta.dirname, '..', '..', 'proxy', 'cli', 'program.ts');
const CONNECTIONS = 64;
/** Until the compiler is done with a new process; four on two cores need that long. */
const WARM_UP_SECONDS = 6;

interface Run {
  requestsPerSecond: number;
  /** CPU microseconds per request. */
  proxyCpu: number;
  serverCpu: number;
  /** Requests that were not decided within a second: 503. */
  undecided: number;
}

const missing = [...missingServers, ...(isInstalled('wrk') ? [] : ['wrk'])];
if (missing.length > 0) process.stdout.write(`skipped: no ${missing.join(', ')}\n`);
else await main();

async function main(): Promise<void> {
  const { build, current, store, remove } = makeBuild();
  const postgres = await startPostgres(undefined, { syncs: true });
  const proxies: Contender[] = [];
  const limits = ['--per-minute', '1000000000', '--per-month', '1000000000'];
  const serve = async (...more: string[]) => {
    const args = ['serve', '--json', '--port', '0', '--ops-port', '0', '--snapshot', current, ...limits, ...more];
    const started = await startNode('proxy', CLI, args);
    proxies.push(started);
    return started;
  };
  try {
    const scripts: Record<string, string> = {};
    for (const url of [store, postgres.url]) {
      const accounts = await openStore(url);
      const keys: string[] = [];
      for (let i = 0; i < Number(values.keys); i++) keys.push((await giveKey(accounts, { owner: `owner ${i}` })).key);
      await accounts.close();
      const script = join(build, `${url === store ? 'sqlite' : 'postgres'}.lua`);
      writeFileSync(
        script,
        `local keys = { ${keys.map((key) => `'${key}'`).join(', ')} }
         local i = math.random(#keys)
         request = function() i = i % #keys + 1; return wrk.format('GET', nil, { ['x-api-key'] = keys[i] }) end`,
      );
      scripts[url] = script;
    }
    const embedded = await serve('--store', store);
    const shared: Contender[] = [];
    for (let i = 0; i < 4; i++) shared.push(await serve('--store', postgres.url));
    const contenders: [name: string, targets: Contender[], script: string][] = [
      ['embedded, 1 proxy', [embedded], scripts[store]!],
    ];
    for (const count of [1, 2, 4])
      contenders.push([`PostgreSQL, ${count}`, shared.slice(0, count), scripts[postgres.url]!]);
    const runs = contenders.map((): Run[] => []);
    for (const [, targets, script] of contenders) await load(targets, script, postgres.pid(), WARM_UP_SECONDS);
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [i, [, targets, script]] of contenders.entries()) {
        runs[i]!.push(await load(targets, script, postgres.pid(), Number(values.seconds)));
      }
    }
    for (const [i, own] of runs.entries()) {
      const of = (pick: (run: Run) => number) => median(own.map(pick)).toFixed(1);
      const ratio = median(own.map((run, round) => run.requestsPerSecond / runs[0]![round]!.requestsPerSecond));
      process.stdout.write(
        `${contenders[i]![0].padEnd(18)} ${of((run) => run.requestsPerSecond).padStart(8)} req/s, × ${ratio.toFixed(2)}; CPU per request: proxies ${of((run) => run.proxyCpu)} µs, PostgreSQL ${of((run) => run.serverCpu)} µs; ${own.reduce((sum, run) => sum + run.undecided, 0)} × 503\n`,
      );
    }
  } finally {
    for (const proxy of proxies) await proxy.stop();
    await postgres.remove();
    remove();
  }
}

async function load(targets: Contender[], script: string, server: number, seconds: number): Promise<Run> {
  const cpu = () => targets.reduce((sum, proxy) => sum + (proxy.cpuMicroseconds() ?? Number.NaN), 0);
  const [proxyBefore, serverBefore] = [cpu(), cpuOf(server) ?? Number.NaN];
  const all = await Promise.all(
    targets.map(async ({ url }) => {
      const each = ['-t1', `-c${CONNECTIONS / targets.length}`, `-d${seconds}s`, '-s', script, `${url}/v1/periods`];
      const { stdout } = await promisify(execFile)('wrk', each);
      if (stdout.includes('Socket errors')) throw new Error(`failed under load:\n${stdout}`);
      return {
        requests: Number(/(\d+) requests in/.exec(stdout)![1]),
        undecided: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
        speed: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
      };
    }),
  );
  const requests = all.reduce((sum, run) => sum + run.requests, 0);
  return {
    requestsPerSecond: all.reduce((sum, run) => sum + run.speed, 0),
    undecided: all.reduce((sum, run) => sum + run.undecided, 0),
    proxyCpu: (cpu() - proxyBefore) / requests,
    serverCpu: ((cpuOf(server) ?? Number.NaN) - serverBefore) / requests,
  };
}
