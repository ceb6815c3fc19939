/**
 * The proxy with all checks enabled, compared with a bare Fastify route that sends the same bytes and headers,
 * Fastify's own plugins for keys, limits and files, bare node:http, and nginx with gzip_static if it is installed: wrk;
 * brotli, gzip and identity; 64 and 1,000 connections; one URL and many; one key and many. Because the machine may be
 * busy, rounds are interleaved, and medians over rounds and over their ratios are printed; the servers' CPU time per
 * request is the more stable figure on such a machine.
 *
 *   node test/bench/proxy-speed.bench.ts [--snapshot build/current] [--rounds 5] [--seconds 2]
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
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
  coding: 'br' | 'gzip' | 'identity';
  connections: number;
  /** Whether requests go through all months and states. */
  manyUrls?: boolean;
  /** Whether requests go through `KEYS` keys, each of an owner of its own. */
  manyKeys?: boolean;
}
const SCENARIOS: readonly Scenario[] = [
  { kilobytes: 5, coding: 'gzip', connections: 64 },
  { kilobytes: 5, coding: 'gzip', connections: 1000 },
  { kilobytes: 5, coding: 'gzip', connections: 64, manyKeys: true },
  { kilobytes: 5, coding: 'gzip', connections: 64, manyUrls: true },
  { kilobytes: 5, coding: 'br', connections: 64 },
  { kilobytes: 5, coding: 'identity', connections: 64 },
  { kilobytes: 5, coding: 'identity', connections: 1000 },
  { kilobytes: 300, coding: 'gzip', connections: 64 },
];
const KEYS = 1000;
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
  const keys: string[] = [];
  for (let i = 0; i < KEYS; i++) keys.push((await giveKey(accounts, { owner: `owner-${i}` })).key);
  await accounts.close();
  try {
    const which = snapshot === realpathSync(made.current) ? 'made up' : snapshot;
    say(`snapshot ${which}, ${rounds} rounds of ${values.seconds} s`);
    for (const scenario of SCENARIOS) await compare({ folder, snapshot, store, keys }, scenario);
  } finally {
    made.remove();
    rmSync(folder, { recursive: true });
  }
}

interface Setting {
  folder: string;
  snapshot: string;
  store: string;
  keys: string[];
}

async function compare(setting: Setting, scenario: Scenario): Promise<void> {
  const { coding, connections, manyUrls, manyKeys } = scenario;
  const one = nearest(setting.snapshot, scenario.kilobytes * 1000);
  const served = manyUrls ? everyStateAndMonth(setting.snapshot) : [one];
  const keys = manyKeys ? setting.keys : setting.keys.slice(0, 1);
  const contenders: Contender[] = [];
  const runs = new Map<Contender, Run[]>();
  try {
    const { proxy, byFile, sent } = await start(contenders, setting, scenario, one, keys);
    const optionsOf = new Map<Contender, string[]>();
    for (const contender of contenders) {
      const targets = served.map(({ file, target }) => (byFile.has(contender) ? `/${file}` : target));
      const script = manyUrls || manyKeys ? ['-s', writeRequests(setting.folder, contender.name, targets, keys)] : [];
      optionsOf.set(contender, [
        '-t1',
        `-c${connections}`,
        '--latency',
        // On a busy machine wrk's default of 2 s is too short for the last of 1,000 connections.
        '--timeout',
        '10s',
        '-H',
        `Authorization: Bearer ${keys[0]}`,
        '-H',
        `Accept-Encoding: ${coding}`,
        ...script,
        contender.url + targets[0]!,
      ]);
      runs.set(contender, []);
    }
    for (const [contender, options] of optionsOf) await load(contender, options, 3);
    for (let round = 0; round < rounds; round++) {
      // Each round starts with a different contender, so that none always follows the same one.
      for (const i of contenders.keys()) {
        const contender = contenders[(i + round) % contenders.length]!;
        runs.get(contender)!.push(await load(contender, optionsOf.get(contender)!, Number(values.seconds)));
      }
    }
    const asked = manyUrls ? 'every state and month' : `${one.file}, ${one.bytes} bytes uncompressed, ${sent} sent`;
    const busy = `load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`;
    say(`\n${coding}, ${connections} connections, ${manyKeys ? `${KEYS} keys` : '1 key'}: ${asked}; ${busy}`);
    print(runs, proxy);
  } finally {
    for (const contender of contenders) await contender.stop();
  }
}

/**
 * Starts what is compared in a scenario, into `contenders`, and checks that all that should send the proxy's answer do.
 * @returns the proxy, those that are asked for files by their path, and the bytes of an answer
 */
async function start(
  contenders: Contender[],
  { folder, snapshot, store }: Setting,
  { coding, manyUrls, manyKeys }: Scenario,
  { file, target }: Served,
  keys: readonly string[],
): Promise<{ proxy: Contender; byFile: Set<Contender>; sent: number }> {
  const add = async (starting: Promise<Contender>) => {
    const started = await starting;
    contenders.push(started);
    return started;
  };
  const server = (name: string) => join(import.meta.dirname, 'servers', name);
  const path = join(snapshot, file + { br: '.br', gzip: '.gz', identity: '' }[coding]);
  const keyFile = join(folder, 'keys.json');
  writeFileSync(keyFile, JSON.stringify(keys));
  const limits = ['--per-minute', '100000000', '--per-month', '1000000000'];
  const proxy = await add(
    startNode('proxy', join(ROOT, 'proxy/cli/program.ts'), [
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
    ]),
  );
  const answer = await ask(proxy.url + target, keys[0]!, coding);
  const headers = JSON.stringify(answer.headers);
  const route = await add(startNode('Fastify route', server('fastify-route.ts'), [path, headers]));
  const plugins = await add(startNode('Fastify plugins', server('plugins.ts'), [snapshot, keyFile, headers]));
  mustEqual(route, await ask(route.url + target, keys[0]!, coding), answer);
  mustEqual(plugins, await ask(`${plugins.url}/${file}`, keys[0]!, coding), answer);
  const byFile = new Set([plugins]);
  if (!manyUrls && !manyKeys) {
    await add(startNode('bare node:http', server('bare.ts'), [path, coding]));
    if (isInstalled('nginx') && coding !== 'br') byFile.add(await add(startNginx(join(folder, 'nginx'), snapshot)));
  }
  return { proxy, byFile, sent: answer.body.length };
}

function print(runs: Map<Contender, Run[]>, proxy: Contender): void {
  for (const [contender, own] of runs) {
    const ratio = (of: (run: Run) => number) =>
      median(own.map((run, i) => of(runs.get(proxy)![i]!) / of(run))).toFixed(2);
    const [speed, cpu] = [ratio((run) => run.requestsPerSecond), ratio((run) => run.cpuMicroseconds)];
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
        contender === proxy ? '' : `proxy ÷ this: req/s ${speed}, CPU ${cpu}, p99 ${ratio((run) => run.p99Ms)}`,
      ].join('  '),
    );
  }
}

interface Answer {
  status: number;
  /** Names and values alternating, without those that Node.js adds to every answer. */
  headers: string[];
  body: Buffer;
}

async function ask(url: string, key: string, coding: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': coding };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, headers }, resolve).on('error', reject);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const added = new Set(['date', 'connection', 'keep-alive']);
  return {
    status: answer.statusCode!,
    headers: answer.rawHeaders.filter((_, i, all) => !added.has(all[i - (i % 2)]!.toLowerCase())),
    body: Buffer.concat(chunks),
  };
}

/** @throws Error unless an answer has the proxy's bytes and names of headers, those of its limits excepted */
function mustEqual({ name }: Contender, own: Answer, proxy: Answer): void {
  const namesOf = ({ headers }: Answer) =>
    headers
      .filter((_, i) => i % 2 === 0)
      .map((header) => header.toLowerCase())
      .filter((header) => !header.startsWith('ratelimit'))
      .sort()
      .join(', ');
  if (own.status !== 200 || proxy.status !== 200) throw new Error(`${name}: ${own.status}, the proxy: ${proxy.status}`);
  if (!own.body.equals(proxy.body)) throw new Error(`${name} sends other bytes than the proxy`);
  if (namesOf(own) !== namesOf(proxy)) throw new Error(`${name} sends ${namesOf(own)}; the proxy ${namesOf(proxy)}`);
}

/** A served file, and the target that requests it from the proxy. */
interface Served {
  file: string;
  target: string;
}

function riskOf(state: string, period: string): Served {
  return {
    file: `v1/risk/lgas/${period}/${state}.json`,
    target: `/v1/risk/lgas?state=${state}&period=${period}`,
  };
}

/** The served file closest to `size` uncompressed bytes. */
function nearest(snapshot: string, size: number): Served & { bytes: number } {
  const { files, coverage } = JSON.parse(readFileSync(join(snapshot, 'manifest.json'), 'utf8')) as Manifest;
  const state = coverage.states.map((code) => [
    riskOf(code, coverage.last_estimated),
    { file: `v1/boundaries/lgas/${code}.json`, target: `/v1/boundaries/lgas?state=${code}` },
  ]);
  return [...state.flat(), { file: 'v1/boundaries/states.json', target: '/v1/boundaries/states' }]
    .map((found) => ({ ...found, bytes: files[found.file]!.bytes }))
    .reduce((a, b) => (Math.abs(Math.log(b.bytes / size)) < Math.abs(Math.log(a.bytes / size)) ? b : a));
}

function everyStateAndMonth(snapshot: string): Served[] {
  const { coverage } = JSON.parse(readFileSync(join(snapshot, 'manifest.json'), 'utf8')) as Manifest;
  const periods = periodRange(coverage.first_estimated, coverage.last_estimated);
  return periods.flatMap((period) => coverage.states.map((state) => riskOf(state, period)));
}

/** Writes a wrk script that goes through the targets and the keys, each in turn. */
function writeRequests(folder: string, name: string, targets: readonly string[], keys: readonly string[]): string {
  const path = join(folder, `${name}.lua`);
  const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
  writeFileSync(
    path,
    `local requests = {}
     function init()
       local targets, keys = { ${list(targets)} }, { ${list(keys)} }
       for i = 0, math.max(#targets, #keys) - 1 do
         wrk.headers['Authorization'] = 'Bearer ' .. keys[i % #keys + 1]
         requests[i + 1] = wrk.format('GET', targets[i % #targets + 1])
       end
     end
     local i = 0
     request = function() i = i % #requests + 1; return requests[i] end`,
  );
  return path;
}

async function load(contender: Contender, options: readonly string[], seconds: number): Promise<Run> {
  const before = contender.cpuMicroseconds();
  const { stdout } = await promisify(execFile)('wrk', [`-d${seconds}s`, ...options]);
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
