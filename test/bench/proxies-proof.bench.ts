/**
 * Guarantees of several proxies on one PostgreSQL and one Redis, at full size: the minute's limit is exact over 100,000
 * requests to four proxies; of 10,000 keys revoked under load, none is granted at any proxy after the revocation is
 * acknowledged; when Redis is killed and restarted under load, nothing is granted beyond minute and month, and the only
 * 5xx answer is the documented one. The benchmark starts both servers itself. Exits with 1 if a guarantee is violated.
 *
 *   node test/bench/proxies-proof.bench.ts [--requests 100000] [--revocations 10000] [--kills 2]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AccountStore } from '../../proxy/store/account-store.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { openStore } from '../support/proxy/open-store.ts';
import { portOf } from '../support/proxy/raw-client.ts';
import { missingServers, type RealServer, startPostgres, startRedis } from '../support/proxy/real-servers.ts';
import { giveKey } from '../support/proxy/service.ts';
import { type Contender, startNode } from './contenders.ts';
import { type Answer, drive, type Request, report } from './load.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    revocations: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '2' },
  },
});
const CLI = join(import.meta.dirname, '..', '..', 'proxy', 'cli', 'program.ts');
const PERIODS = '/v1/periods';
const MANY = 1_000_000_000;
const PROXIES = 4;
const AT_ONCE = 8;

interface Site {
  postgres: RealServer;
  redis: RealServer;
  accounts: AccountStore;
  proxies: Contender[];
}

async function within(work: (site: Site) => Promise<void>): Promise<void> {
  const { current, remove } = makeBuild();
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const stores = ['--store', postgres.url, '--limits', redis.url];
  const accounts = await openStore(postgres.url, redis.url);
  const proxies: Contender[] = [];
  try {
    for (let i = 0; i < PROXIES; i++) {
      const ports = ['--port', '0', '--ops-port', '0'];
      proxies.push(await startNode('proxy', CLI, ['serve', '--json', ...ports, '--snapshot', current, ...stores]));
    }
    await work({ postgres, redis, accounts, proxies });
  } finally {
    for (const proxy of proxies) await proxy.stop();
    await accounts.close();
    await Promise.all([postgres.remove(), redis.remove()]);
    remove();
  }
}

/** Sends requests to all proxies at the same time, on `connections` connections to each. */
async function driveAll(
  proxies: Contender[],
  connections: number,
  work: { next: () => Request | null; answered: (request: Request, answer: Answer) => void },
): Promise<void> {
  await Promise.all(proxies.map(({ url }) => drive(portOf(url), connections, work)));
}

async function minuteIsExact({ accounts, proxies }: Site): Promise<void> {
  const requests = Number(values.requests);
  const { key } = await giveKey(accounts);
  await accounts.setLimits('ministry', { perMinute: 1000, perMonth: MANY });
  const counts = new Map<number, number>();
  let sent = 0;
  const started = performance.now();
  await driveAll(proxies, 64, {
    next: () => (sent++ < requests ? { target: PERIODS, key } : null),
    answered: (_, { status }) => void counts.set(status, (counts.get(status) ?? 0) + 1),
  });
  const seconds = (performance.now() - started) / 1000;
  const [granted, refused] = [counts.get(200) ?? 0, counts.get(429) ?? 0];
  report(
    granted === 1000 && refused === requests - 1000 && seconds < 60,
    `minute: of ${requests} requests to ${PROXIES} proxies in ${seconds.toFixed(1)} s, ${granted} of 1000 granted, ${refused} refused`,
  );
}

async function revocationsHold({ accounts, proxies }: Site): Promise<void> {
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
  }, count);
  await Promise.all([driveAll(proxies, 8, { next, answered }), revoke]);
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
    late === 0 && checked >= count * PROXIES && before > 0 && unavailable === 0,
    `revocation: ${count} under load in ${seconds.toFixed(1)} s over ${PROXIES} proxies, ${before} granted before, ${checked} refused after, ${late} granted after acknowledgement, ${unavailable} unavailable`,
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

async function killsOfRedisHold({ accounts, proxies, redis }: Site): Promise<void> {
  const [kills, perMinute, perMonth] = [Number(values.kills), 1000, 100_000];
  const { key } = await giveKey(accounts);
  await accounts.setLimits('ministry', { perMinute, perMonth });
  const grants: { from: number; to: number }[] = [];
  const sentAt = new WeakMap<Request, number>();
  const others = new Map<string, number>();
  const gaps: number[] = [];
  let stop = false;
  const loaded = driveAll(proxies, 8, {
    next: () => {
      const request = { target: PERIODS, key };
      sentAt.set(request, performance.now());
      return stop ? null : request;
    },
    answered: (request, { status, headers, body }) => {
      if (status === 200) grants.push({ from: sentAt.get(request)!, to: performance.now() });
      else {
        const { code } = JSON.parse(String(body)) as { code: string };
        const name = `${status} ${code}${headers['retry-after'] === undefined ? ' without Retry-After' : ''}`;
        others.set(name, (others.get(name) ?? 0) + 1);
      }
    },
  });
  const grown = async (by: number) => {
    const wanted = grants.length + by;
    const until = performance.now() + 300_000;
    while (grants.length < wanted && performance.now() < until) await new Promise((done) => setTimeout(done, 50));
  };
  await grown(perMinute / 2);
  for (let i = 0; i < kills; i++) {
    await redis.kill();
    const killed = performance.now();
    await redis.start();
    await grown(1);
    gaps.push((performance.now() - killed) / 1000);
    await grown(perMinute / 2);
  }
  stop = true;
  await loaded;
  // Requests sent and answered within 60 s were granted within these 60 s.
  const most = Math.max(
    ...grants.map(({ from }) => grants.filter((other) => other.from >= from && other.to < from + 60_000).length),
  );
  const expected = ['429 RATE_LIMITED', '503 SERVICE_UNAVAILABLE'];
  const strange = [...others.keys()].filter((name) => !expected.includes(name));
  const summary = [...others].map(([name, times]) => `${times} × ${name}`).join(', ');
  report(
    most <= perMinute && grants.length > perMinute / 2 && strange.length === 0,
    `Redis killed ${kills} times under load: ${grants.length} granted, at most ${most} of ${perMinute} in any 60 s; ${summary}; granting again after ${gaps.map((gap) => gap.toFixed(0)).join(' and ')} s`,
  );
}

if (missingServers.length > 0) process.stdout.write(`skipped: no ${missingServers.join(', ')}\n`);
else for (const proof of [minuteIsExact, revocationsHold, killsOfRedisHold]) await within(proof);
