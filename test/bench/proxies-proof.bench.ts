/**
 * Guarantees of several proxies on one store, at full size: minute and month are exact under 64 connections; of 10,000
 * keys revoked under load, none is granted at any proxy after the revocation is acknowledged; when PostgreSQL is killed
 * under load, nothing is granted beyond minute and month, and the only 5xx answer is the documented one. The stores are
 * PostgreSQL, started by the benchmark, and one SQLite file for two processes. Exits with 1 if a guarantee is violated.
 *
 *   node test/bench/proxies-proof.bench.ts [--requests 40000] [--revocations 10000] [--kills 5]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AccountStore } from '../../proxy/store/account-store.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { createStore, openStore } from '../support/proxy/open-store.ts';
import { portOf } from '../support/proxy/raw-client.ts';
import { missingServers, type RealServer, startPostgres } from '../support/proxy/real-servers.ts';
import { giveKey } from '../support/proxy/service.ts';
import { type Contender, startNode } from './contenders.ts';
import { type Answer, drive, type Request, report } from './load.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '40000' },
    revocations: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '5' },
  },
});
const CLI = join(import.meta.dirname, '..', '..', 'proxy', 'cli', 'program.ts');
const PERIODS = '/v1/periods';
const MANY = 1_000_000_000;
const CONNECTIONS = 64;
const AT_ONCE = 8;

interface Site {
  name: string;
  /** Null for SQLite. */
  postgres: RealServer | null;
  accounts: AccountStore;
  proxies: Contender[];
}

async function within(kind: 'PostgreSQL' | 'SQLite', count: number, work: (site: Site) => Promise<void>) {
  const { current, store, remove } = makeBuild();
  const postgres = kind === 'PostgreSQL' ? await startPostgres() : null;
  const url = postgres?.url ?? store;
  await createStore(url);
  const accounts = await openStore(url);
  const proxies: Contender[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const ports = ['--port', '0', '--ops-port', '0'];
      const args = ['serve', '--json', ...ports, '--snapshot', current, '--store', url];
      proxies.push(await startNode('proxy', CLI, args));
    }
    await work({ name: `${count} proxies on ${kind}`, postgres, accounts, proxies });
  } finally {
    for (const proxy of proxies) await proxy.stop();
    await accounts.close();
    await postgres?.remove();
    remove();
  }
}

/** Sends requests to all proxies at the same time, on `connections` connections in total. */
async function driveAll(
  proxies: Contender[],
  connections: number,
  work: { next: () => Request | null; answered: (request: Request, answer: Answer) => void },
): Promise<void> {
  await Promise.all(proxies.map(({ url }) => drive(portOf(url), connections / proxies.length, work)));
}

async function limitsAreExact({ name, accounts, proxies }: Site): Promise<void> {
  const requests = Number(values.requests);
  const one = await giveKey(accounts);
  await accounts.setLimits('ministry', { perMinute: 1000, perMonth: MANY });
  const [two, three] = [await giveKey(accounts, { owner: 'other' }), await giveKey(accounts, { owner: 'other' })];
  await accounts.setLimits('other', { perMinute: MANY, perMonth: 3000 });
  const granted = new Map<string, number>();
  const others = new Map<number, number>();
  let sent = 0;
  const started = performance.now();
  await driveAll(proxies, CONNECTIONS, {
    next: () => (sent++ < requests ? { target: PERIODS, key: [one, two, three][sent % 3]!.key } : null),
    answered: ({ key }, { status }) => {
      if (status === 200) granted.set(key, (granted.get(key) ?? 0) + 1);
      else others.set(status, (others.get(status) ?? 0) + 1);
    },
  });
  const seconds = (performance.now() - started) / 1000;
  const minute = granted.get(one.key) ?? 0;
  const month = (granted.get(two.key) ?? 0) + (granted.get(three.key) ?? 0);
  const refused = others.get(429) ?? 0;
  report(
    minute === 1000 && month === 3000 && refused === requests - 4000 && seconds < 60,
    `limits, ${name}: of ${requests} requests on ${CONNECTIONS} connections in ${seconds.toFixed(1)} s, ${minute} of 1000 granted in the minute, ${month} of 3000 in the month over two keys, ${refused} refused`,
  );
}

async function revocationsHold({ name, accounts, proxies }: Site): Promise<void> {
  const count = Number(values.revocations);
  const keys: { id: string; key: string }[] = [];
  await accounts.createAccount('organisation', 'ministry', Date.now());
  await repeat(async () => void keys.push(await giveKey(accounts, { kind: 'test' })), count);
  const acknowledged = new Set<string>();
  let [done, checked, late, before, unavailable] = [0, 0, 0, 0, 0];
  // By request: whether its key was revoked before it was sent.
  const wasRevoked = new WeakMap<Request, boolean>();
  const answered = (request: Request, { status }: Answer) => {
    if (status === 503) unavailable++;
    else if (!wasRevoked.get(request)) before += status === 200 ? 1 : 0;
    else if (status === 401) checked++;
    else late++;
  };
  const request = (key: string) => {
    const made = { target: PERIODS, key };
    wasRevoked.set(made, acknowledged.has(key));
    return made;
  };
  let turn = 0;
  // Keys about to be revoked, being revoked, and just revoked.
  const next = () =>
    done === count ? null : request(keys[Math.min(count - 1, Math.max(0, done - 8 + (turn++ % 24)))]!.key);
  const started = performance.now();
  const rest = keys.values();
  const revoke = repeat(async () => {
    const { id, key } = rest.next().value!;
    await accounts.revokeKey(id, Date.now());
    acknowledged.add(key);
    done++;
    // SQLite's answers come at once, and requests must be sent in between.
    await new Promise((resolve) => setImmediate(resolve));
  }, count);
  await Promise.all([driveAll(proxies, CONNECTIONS / 2, { next, answered }), revoke]);
  const seconds = (performance.now() - started) / 1000;
  // Finally, every key again at every proxy, without other load.
  for (const proxy of proxies) {
    const all = keys.values();
    await drive(portOf(proxy.url), 32, {
      next: () => {
        const { value } = all.next();
        return value ? request(value.key) : null;
      },
      answered,
    });
  }
  report(
    late === 0 && checked >= count * proxies.length && before > 0 && unavailable === 0,
    `revocation, ${name}: ${count} under load in ${seconds.toFixed(1)} s, ${before} granted before, ${checked} refused after, ${late} granted after acknowledgement, ${unavailable} unavailable`,
  );
}

/** Runs `work` `times` times, a few at the same time. */
async function repeat(work: () => Promise<void>, times: number): Promise<void> {
  let begun = 0;
  const worker = async () => {
    while (begun++ < times) await work();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function killsOfPostgresHold({ name, accounts, proxies, postgres }: Site): Promise<void> {
  const [kills, perMinute, perMonth] = [Number(values.kills), 600, 100_000];
  const { key } = await giveKey(accounts);
  await accounts.setLimits('ministry', { perMinute, perMonth });
  const grants: { from: number; to: number }[] = [];
  const sentAt = new WeakMap<Request, number>();
  const others = new Map<string, number>();
  const gaps: number[] = [];
  let stop = false;
  const loaded = driveAll(proxies, CONNECTIONS / 2, {
    next: () => {
      const request = { target: PERIODS, key };
      sentAt.set(request, performance.now());
      return stop ? null : request;
    },
    answered: (request, { status, headers, body }) => {
      if (status === 200) grants.push({ from: sentAt.get(request)!, to: performance.now() });
      else {
        const { code } = JSON.parse(String(body)) as { code: string };
        const line = `${status} ${code}${headers['retry-after'] === undefined ? ' without Retry-After' : ''}`;
        others.set(line, (others.get(line) ?? 0) + 1);
      }
    },
  });
  const answers = () => grants.length + (others.get('429 RATE_LIMITED') ?? 0);
  const grown = async (by: number) => {
    const wanted = answers() + by;
    const until = performance.now() + 300_000;
    while (answers() < wanted && performance.now() < until) await new Promise((done) => setTimeout(done, 20));
  };
  await grown(perMinute / 2);
  for (let i = 0; i < kills; i++) {
    await postgres!.kill();
    await postgres!.start();
    const up = performance.now();
    await grown(1);
    gaps.push((performance.now() - up) / 1000);
    await grown(300);
  }
  // Until the first minute is over and another has begun.
  while (performance.now() - (grants[0]?.from ?? 0) < 75_000) await new Promise((done) => setTimeout(done, 100));
  stop = true;
  await loaded;
  // Requests sent and answered within 60 s were granted within these 60 s.
  const most = Math.max(
    ...grants.map(({ from }) => grants.filter((other) => other.from >= from && other.to < from + 60_000).length),
  );
  const expected = ['429 RATE_LIMITED', '503 SERVICE_UNAVAILABLE'];
  const strange = [...others.keys()].filter((line) => !expected.includes(line));
  const summary = [...others].map(([line, times]) => `${times} × ${line}`).join(', ');
  report(
    most <= perMinute && grants.length > perMinute && strange.length === 0,
    `PostgreSQL killed ${kills} times under load, ${name}: ${grants.length} granted, at most ${most} of ${perMinute} in any 60 s; ${summary}; deciding again ${gaps.map((gap) => gap.toFixed(1)).join(', ')} s after it was up`,
  );
}

for (const proof of [limitsAreExact, revocationsHold]) await within('SQLite', 2, proof);
if (missingServers.length > 0) process.stdout.write(`skipped: no ${missingServers.join(', ')}\n`);
else {
  await within('PostgreSQL', 2, limitsAreExact);
  for (const proof of [limitsAreExact, revocationsHold, killsOfPostgresHold]) await within('PostgreSQL', 4, proof);
}
