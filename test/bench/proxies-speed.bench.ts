/**
 * One and two proxies on PostgreSQL and Redis compared with a single proxy with SQLite (embedded): wrk, 64 connections
 * and one key per proxy, the answer of /v1/periods. Rounds are interleaved, and medians over rounds are printed. On a busy machine or
 * one with few cores, CPU time per request, of proxies and of Redis, is the more stable figure.
 *
 *   node test/bench/proxies-speed.bench.ts [--rounds 5] [--seconds 2]
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { median } from '../../pipeline/lib/numerics/averages.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { openStore } from '../support/proxy/open-store.ts';
import { missingServers, startPostgres, startRedis } from '../support/proxy/real-servers.ts';
import { giveKey } from '../support/proxy/service.ts';
import { type Contender, cpuOf, isInstalled, startNode } from './contenders.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '2' } },
});
const CLI = join(import.meta.dirname, '..', '..', 'proxy', 'cli', 'program.ts');
const MANY = { perMinute: 1_000_000_000, perMonth: 1_000_000_000 };

interface Run {
  requestsPerSecond: number;
  /** CPU microseconds per request. */
  proxyCpu: number;
  redisCpu: number;
}

const missing = [...missingServers, ...(isInstalled('wrk') ? [] : ['wrk'])];
if (missing.length > 0) process.stdout.write(`skipped: no ${missing.join(', ')}\n`);
else await main();

async function main(): Promise<void> {
  const { current, store, remove } = makeBuild();
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const proxies: Contender[] = [];
  const serve = async (...stores: string[]) => {
    const args = ['serve', '--json', '--port', '0', '--ops-port', '0', '--snapshot', current, ...stores];
    const started = await startNode('proxy', CLI, args);
    proxies.push(started);
    return started;
  };
  try {
    const keys: Record<string, string> = {};
    for (const [name, accounts] of [
      ['embedded', await openStore(store)],
      ['shared', await openStore(postgres.url, redis.url)],
    ] as const) {
      keys[name] = (await giveKey(accounts, { kind: 'test' })).key;
      await accounts.setLimits('ministry', MANY);
      keys[`${name} 2`] = (await giveKey(accounts, { kind: 'test' })).key;
      await accounts.close();
    }
    const shared = ['--store', postgres.url, '--limits', redis.url];
    const embedded = await serve('--store', store);
    const [first, second] = [await serve(...shared), await serve(...shared)];
    const contenders: Record<string, [Contender, string][]> = {
      'embedded, 1 proxy': [[embedded, keys.embedded!]],
      'shared, 1 proxy': [[first, keys.shared!]],
      'shared, 2 proxies': [
        [first, keys.shared!],
        [second, keys['shared 2']!],
      ],
    };
    const redisPid = await pidOf(redis.port);
    const runs: Record<string, Run[]> = {};
    for (const targets of Object.values(contenders)) await load(targets, redisPid, 1);
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [name, targets] of Object.entries(contenders)) {
        runs[name] = [...(runs[name] ?? []), await load(targets, redisPid, Number(values.seconds))];
      }
    }
    const base = runs['embedded, 1 proxy']!;
    for (const [name, own] of Object.entries(runs)) {
      const of = (pick: (run: Run) => number) => median(own.map(pick));
      const ratio = median(own.map((run, i) => run.requestsPerSecond / base[i]!.requestsPerSecond));
      process.stdout.write(
        `${name.padEnd(18)} ${of((run) => run.requestsPerSecond)
          .toFixed(0)
          .padStart(
            6,
          )} req/s, × ${ratio.toFixed(2)}; CPU per request: proxies ${of((run) => run.proxyCpu).toFixed(1)} µs, Redis ${of((run) => run.redisCpu).toFixed(1)} µs\n`,
      );
    }
  } finally {
    for (const proxy of proxies) await proxy.stop();
    await Promise.all([postgres.remove(), redis.remove()]);
    remove();
  }
}

async function load(targets: [Contender, string][], redisPid: number, seconds: number): Promise<Run> {
  const cpu = () => targets.reduce((sum, [proxy]) => sum + (proxy.cpuMicroseconds() ?? Number.NaN), 0);
  const [proxyBefore, redisBefore] = [cpu(), cpuOf(redisPid) ?? Number.NaN];
  const all = await Promise.all(
    targets.map(async ([{ url }, key]) => {
      const args = ['-t1', '-c64', `-d${seconds}s`, '-H', `x-api-key: ${key}`, `${url}/v1/periods`];
      const { stdout } = await promisify(execFile)('wrk', args);
      if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`failed under load:\n${stdout}`);
      return {
        requests: Number(/(\d+) requests in/.exec(stdout)![1]),
        speed: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
      };
    }),
  );
  const requests = all.reduce((sum, run) => sum + run.requests, 0);
  return {
    requestsPerSecond: all.reduce((sum, run) => sum + run.speed, 0),
    proxyCpu: (cpu() - proxyBefore) / requests,
    redisCpu: ((cpuOf(redisPid) ?? Number.NaN) - redisBefore) / requests,
  };
}

/** The process id that the Redis at `port` reports. */
async function pidOf(port: number): Promise<number> {
  const { createClient } = await import('@redis/client');
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  await client.connect();
  const info = await client.info('server');
  client.destroy();
  return Number(/process_id:(\d+)/.exec(info)![1]);
}
