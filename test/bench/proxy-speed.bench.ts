/**
 * The proxy with all checks enabled, compared with a Fastify route with a key look-up that sends the same bytes and
 * headers, bare node:http, and nginx with gzip_static if it is installed: wrk, gzip and identity, 64 and 1,000
 * connections, one URL and many. Because the machine may be busy, rounds are interleaved and medians over rounds are
 * printed; CPU time per request is the more stable figure on such a machine.
 *
 *   node test/bench/proxy-speed.bench.ts [--snapshot build/current] [--rounds 5] [--seconds 2]
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Manifest } from '../../pipeline/contract/manifest.ts';
import { periodRange } from '../../pipeline/contract/months.ts';
import { median } from '../../pipeline/lib/numerics/averages.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { openStore } from '../support/proxy/open-store.ts';
import { giveKey } from '../support/proxy/service.ts';
import { type Contender, isInstalled, startNginx, startNode } from './contenders.ts';

const ROOT = join(import.meta.dirname, '..', '..');
interface Scenario {
  kilobytes: number;
  coding: 'gzip' | 'identity';
  connections: number;
  /** Whether requests go through all months and states. */
  many?: boolean;
}
const SCENARIOS: readonly Scenario[] = [
  { kilobytes: 5, coding: 'gzip', connections: 64 },
  { kilobytes: 5, coding: 'gzip', connections: 1000 },
  { kilobytes: 5, coding: 'gzip', connections: 64, many: true },
  { kilobytes: 5, coding: 'identity', connections: 64 },
  { kilobytes: 5, coding: 'identity', connections: 1000 },
  { kilobytes: 300, coding: 'gzip', connections: 64 },
];
const say = (line: string) => process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    snapshot: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
const rounds = Number(values.rounds);

interface Run {
  requestsPerSecond: number;
  p99Ms: number;
  cpuMicroseconds: number;
}

if (isInstalled('wrk')) await main();
else say('skipped: wrk is not installed (apt-get install wrk)');

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'malaria-bench-'));
  const made = makeBuild({ lgasPerState: 40, outlinePoints: 4200, lgaOutlinePoints: 25 });
  const built = join(ROOT, 'build', 'current');
  const snapshot = realpathSync(values.snapshot ?? (existsSync(built) ? built : made.current));
  const store = `sqlite:${join(folder, 'proxy.sqlite')}`;
  const accounts = await openStore(store);
  const { key } = await giveKey(accounts);
  await accounts.close();
  try {
    const which = snapshot === realpathSync(made.current) ? 'made up' : snapshot;
    say(`snapshot ${which}, ${rounds} rounds of ${values.seconds} s`);
    for (const scenario of SCENARIOS) await compare({ folder, snapshot, store, key }, scenario);
  } finally {
    made.remove();
    rmSync(folder, { recursive: true });
  }
}

interface Setting {
  folder: string;
  snapshot: string;
  store: string;
  key: string;
}

async function compare({ folder, snapshot, store, key }: Setting, scenario: Scenario): Promise<void> {
  const { kilobytes, coding, connections, many } = scenario;
  const { file, target, bytes } = nearest(snapshot, kilobytes * 1000);
  const path = join(snapshot, coding === 'gzip' ? `${file}.gz` : file);
  const servers = join(import.meta.dirname, 'servers');
  const limits = ['--per-minute', '100000000', '--per-month', '1000000000'];
  const proxy = await startNode('proxy', join(ROOT, 'proxy/cli/program.ts'), [
    'serve',
    '--json',
    '--port',
    '0',
    '--ops-port',
    '0',
    '--snapshot',
    snapshot,
    '--store',
    store,
    ...limits,
  ]);
  proxy.url += target;
  const sameHeaders = JSON.stringify(await headersOf(proxy.url, key, coding));
  const route = await startNode('Fastify route', join(servers, 'fastify-route.ts'), [path, key, sameHeaders]);
  route.url += target;
  const contenders = many
    ? [route, proxy]
    : [
        await startNode('bare node:http', join(servers, 'bare.ts'), [path, coding]),
        route,
        ...(isInstalled('nginx') ? [await startNginx(join(folder, 'nginx'), snapshot, file)] : []),
        proxy,
      ];
  const headers = ['-H', `x-api-key: ${key}`, '-H', `Accept-Encoding: ${coding}`];
  // On a busy machine wrk's default of 2 s is too short for the last of 1,000 connections.
  const options = ['-t1', `-c${connections}`, '--latency', '--timeout', '10s', ...headers];
  if (many) options.push('-s', writeTargets(folder, snapshot));
  const runs = new Map<Contender, Run[]>(contenders.map((contender) => [contender, []]));
  try {
    for (const contender of contenders) await load(contender, options, 3);
    for (let round = 0; round < rounds; round++) {
      // Each round starts with a different contender, so that none always follows the same one.
      for (const i of contenders.keys()) {
        const contender = contenders[(i + round) % contenders.length]!;
        runs.get(contender)!.push(await load(contender, options, Number(values.seconds)));
      }
    }
  } finally {
    for (const contender of contenders) await contender.stop();
  }

  const asked = many
    ? 'every state and month'
    : `${file}, ${bytes} bytes uncompressed, ${readFileSync(path).length} sent`;
  say(`\n${coding}, ${connections} connections: ${asked}`);
  for (const [contender, own] of runs) {
    const ratio = (of: (run: Run) => number) => median(own.map((run, i) => of(runs.get(proxy)![i]!) / of(run)));
    const [speed, cpu] = [ratio((run) => run.requestsPerSecond), 1 / ratio((run) => run.cpuMicroseconds)];
    say(
      [
        contender.name.padEnd(15),
        `${median(own.map((run) => run.requestsPerSecond))
          .toFixed(0)
          .padStart(6)} req/s`,
        `p99 ${median(own.map((run) => run.p99Ms))
          .toFixed(2)
          .padStart(6)} ms`,
        `${median(own.map((run) => run.cpuMicroseconds))
          .toFixed(1)
          .padStart(5)} µs CPU`,
        contender === proxy
          ? ''
          : `proxy ÷ this: ${speed.toFixed(2)} by req/s, ${cpu.toFixed(2)} by CPU, p99 × ${ratio((run) => run.p99Ms).toFixed(2)}`,
      ].join('  '),
    );
  }
}

/** The headers of one answer, names and values alternating, except those that Node.js adds to every answer. */
async function headersOf(url: string, key: string, coding: string): Promise<string[]> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, headers: { 'x-api-key': key, 'accept-encoding': coding } }, resolve).on('error', reject);
  });
  answer.resume();
  const added = new Set(['date', 'connection', 'keep-alive']);
  return answer.rawHeaders.filter((_, i, all) => !added.has(all[i - (i % 2)]!.toLowerCase()));
}

/** The served file closest to `size` uncompressed bytes, and the target that requests it. */
function nearest(snapshot: string, size: number): { file: string; target: string; bytes: number } {
  const { files, coverage } = JSON.parse(readFileSync(join(snapshot, 'manifest.json'), 'utf8')) as Manifest;
  const month = coverage.last_estimated;
  const state = coverage.states.map((code) => [
    { file: `v1/risk/lgas/${month}/${code}.json`, target: `/v1/risk/lgas?state=${code}&period=${month}` },
    { file: `v1/boundaries/lgas/${code}.json`, target: `/v1/boundaries/lgas?state=${code}` },
  ]);
  return [...state.flat(), { file: 'v1/boundaries/states.json', target: '/v1/boundaries/states' }]
    .map((found) => ({ ...found, bytes: files[found.file]!.bytes }))
    .reduce((a, b) => (Math.abs(Math.log(b.bytes / size)) < Math.abs(Math.log(a.bytes / size)) ? b : a));
}

/** Writes a wrk script that requests every state and month in turn. */
function writeTargets(folder: string, snapshot: string): string {
  const { coverage } = JSON.parse(readFileSync(join(snapshot, 'manifest.json'), 'utf8')) as Manifest;
  const periods = periodRange(coverage.first_estimated, coverage.last_estimated);
  const targets = periods.flatMap((period) =>
    coverage.states.map((state) => `'/v1/risk/lgas?state=${state}&period=${period}'`),
  );
  const path = join(folder, 'targets.lua');
  writeFileSync(
    path,
    `local targets = { ${targets.join(', ')} }
     local i = 0
     request = function() i = i % #targets + 1; return wrk.format('GET', targets[i]) end`,
  );
  return path;
}

async function load(contender: Contender, options: readonly string[], seconds: number): Promise<Run> {
  const before = contender.cpuMicroseconds();
  const { stdout } = await promisify(execFile)('wrk', [...options, `-d${seconds}s`, contender.url]);
  const after = contender.cpuMicroseconds();
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${contender.name} failed under load:\n${stdout}`);
  const requests = Number(/(\d+) requests in/.exec(stdout)![1]);
  const [, amount, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout)!;
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
    p99Ms: Number(amount) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'],
    cpuMicroseconds: before === null || after === null ? Number.NaN : (after - before) / requests,
  };
}
