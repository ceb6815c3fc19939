/**
 * The proxy's guarantees at full size: limits are exact over 100,000 requests on 256 connections, for the minute, and
 * for the month with ten kills of the process; of 10,000 keys revoked under load, none is granted after the revocation
 * is acknowledged; in a soak test with changing keys and snapshots, no answer is wrong. Exits with 1 if a guarantee is
 * violated.
 *
 *   node test/bench/proxy-proof.bench.ts [--requests 100000] [--revocations 10000] [--soak-seconds 30]
 */
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Manifest } from '../../pipeline/contract/manifest.ts';
import type { AccountStore } from '../../proxy/store/account-store.ts';
import { makeBuild, publish, versionOf, writeSnapshot } from '../support/proxy/fixture.ts';
import { openStore } from '../support/proxy/open-store.ts';
import { portOf } from '../support/proxy/raw-client.ts';
import { giveKey } from '../support/proxy/service.ts';
import { startNode } from './contenders.ts';
import { type Answer, drive, type Request, report } from './load.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    revocations: { type: 'string', default: '10000' },
    'soak-seconds': { type: 'string', default: '30' },
  },
});
const REQUESTS = Number(values.requests);
const CLI = join(import.meta.dirname, '..', '..', 'proxy', 'cli', 'program.ts');
const PERIODS = '/v1/periods';
const MANY = 1_000_000_000;

type Made = ReturnType<typeof makeBuild>;
const serve = ({ current, store }: Made) =>
  startNode('proxy', CLI, [
    'serve',
    '--json',
    '--port',
    '0',
    '--ops-port',
    '0',
    '--snapshot',
    current,
    '--store',
    store,
  ]);

/** Runs `work` with a new snapshot and store. */
async function within(work: (made: Made, accounts: AccountStore) => Promise<void>): Promise<void> {
  const made = makeBuild();
  const accounts = await openStore(made.store);
  try {
    await work(made, accounts);
  } finally {
    await accounts.close();
    made.remove();
  }
}

async function minuteIsExact(made: Made, accounts: AccountStore): Promise<void> {
  const { key } = await giveKey(accounts);
  await accounts.setLimits('ministry', { perMinute: 1000, perMonth: MANY });
  const proxy = await serve(made);
  const counts = new Map<number, number>();
  let sent = 0;
  const started = performance.now();
  await drive(portOf(proxy.url), 256, {
    next: () => (sent++ < REQUESTS ? { target: PERIODS, key } : null),
    answered: (_, { status }) => void counts.set(status, (counts.get(status) ?? 0) + 1),
  });
  const seconds = (performance.now() - started) / 1000;
  await proxy.stop();
  const [granted, refused] = [counts.get(200) ?? 0, counts.get(429) ?? 0];
  report(
    granted === 1000 && refused === REQUESTS - 1000 && seconds < 60,
    `minute: of ${REQUESTS} requests in ${seconds.toFixed(1)} s, ${granted} of 1000 granted, ${refused} refused`,
  );
}

async function monthSurvivesKills(made: Made, accounts: AccountStore): Promise<void> {
  const [allowance, kills] = [REQUESTS / 5, 10];
  const { key } = await giveKey(accounts);
  await accounts.setLimits('ministry', { perMinute: MANY, perMonth: allowance });
  let [granted, sent, lost] = [0, 0, 0];
  for (let life = 0; life <= kills; life++) {
    const proxy = await serve(made);
    const killAt =
      life === kills ? Number.POSITIVE_INFINITY : granted + Math.floor((0.8 * allowance) / kills) - 7 * life;
    await drive(portOf(proxy.url), 256, {
      next: () => (sent++ < REQUESTS ? { target: PERIODS, key } : null),
      answered: (_, { status }) => {
        if (status !== 200) return;
        granted++;
        if (granted === killAt) process.kill(proxy.pid, 'SIGKILL');
      },
      lost: () => void lost++,
    });
    await proxy.stop();
  }
  const short = allowance - granted;
  report(
    granted <= allowance && short <= lost,
    `month: ${sent} requests, ${kills} kills, ${granted} of ${allowance} granted; ${short} short, of which ${lost} answers lost with the process`,
  );
}

async function revocationsHold(made: Made, accounts: AccountStore): Promise<void> {
  const count = Number(values.revocations);
  const keys: { id: string; key: string }[] = [];
  for (let i = 0; i < count; i++) keys.push(await giveKey(accounts, { kind: 'test' }));
  const proxy = await serve(made);
  const acknowledged = new Set<string>();
  let [done, checked, late, before, unavailable] = [0, 0, 0, 0, 0];
  // By request: whether its key was revoked before it was sent.
  const wasRevoked = new WeakMap<Request, boolean>();
  let turn = 0;
  const next = (): Request | null => {
    if (done === count) return null;
    // Keys about to be revoked, being revoked, and just revoked.
    const { key } = keys[Math.min(count - 1, Math.max(0, done - 4 + (turn++ % 12)))]!;
    const request = { target: PERIODS, key };
    wasRevoked.set(request, acknowledged.has(key));
    return request;
  };
  const answered = (request: Request, { status }: Answer) => {
    if (status === 503) unavailable++;
    else if (!wasRevoked.get(request)) before += status === 200 ? 1 : 0;
    else if (status === 401) checked++;
    else late++;
  };
  const revoke = async () => {
    for (const { id, key } of keys) {
      await accounts.revokeKey(id, Date.now());
      acknowledged.add(key);
      done++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all([drive(portOf(proxy.url), 32, { next, answered }), revoke()]);
  // Finally, every key again, without other load.
  const rest = keys.values();
  await drive(portOf(proxy.url), 32, {
    next: () => {
      const { value } = rest.next();
      return value ? { target: PERIODS, key: value.key } : null;
    },
    answered: (_, { status }) => void (status === 401 ? checked++ : late++),
  });
  await proxy.stop();
  report(
    late === 0 && checked >= count && before > 0 && unavailable === 0,
    `revocation: ${count} under load, ${before} granted before, ${checked} refused after, ${late} granted after acknowledgement, ${unavailable} unavailable`,
  );
}

async function soak(made: Made, accounts: AccountStore): Promise<void> {
  const releases = ['00000001', '00000002', '00000003', '00000004'];
  const manifests = new Map<string, Manifest>();
  for (const release of releases) {
    const directory = join(made.build, 'snapshots', versionOf(release));
    if (release !== '00000001') writeSnapshot(directory, { release });
    manifests.set(versionOf(release), JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as Manifest);
  }
  const damaged = join(made.build, 'snapshots', versionOf('0000000f'));
  writeSnapshot(damaged, { release: '0000000f' });
  appendFileSync(join(damaged, 'v1/periods.json.br'), 'x');
  const files = [
    { target: PERIODS, file: 'v1/periods.json' },
    { target: '/v1/boundaries/states', file: 'v1/boundaries/states.json' },
    { target: '/v1/transmission/lgas?state=KN', file: 'v1/transmission/lgas/KN.json' },
    { target: '/v1/risk/lgas?state=LA&period=2023-08', file: 'v1/risk/lgas/2023-08/LA.json' },
  ];
  const suffix: Record<string, string> = { br: '.br', gzip: '.gz', identity: '' };
  await accounts.createAccount('organisation', 'ministry', Date.now());
  await accounts.setLimits('ministry', { perMinute: MANY, perMonth: MANY });
  const live = new Map<string, string>();
  const revoked = new Set<string>();
  const make = async () => {
    const { id, key } = await giveKey(accounts);
    live.set(key, id);
  };
  for (let i = 0; i < 20; i++) await make();
  const proxy = await serve(made);
  const until = performance.now() + Number(values['soak-seconds']) * 1000;
  const seen = new Map<string, number>();
  const wrong: string[] = [];
  let [turn, answers, swaps, changes] = [0, 0, 0, 0];
  const expected = new WeakMap<Request, { file: string; revoked: boolean; coding: string }>();

  const next = (): Request | null => {
    if (performance.now() > until) return null;
    turn++;
    const from = turn % 10 === 0 && revoked.size > 0 ? [...revoked].slice(-20) : [...live.keys()];
    const key = from[turn % from.length]!;
    const { target, file } = files[turn % files.length]!;
    const coding = ['br', 'gzip', 'identity'][turn % 3]!;
    const request = { target, key, acceptEncoding: coding };
    expected.set(request, { file, coding, revoked: revoked.has(key) });
    return request;
  };
  const answered = (request: Request, { status, headers, body }: Answer) => {
    answers++;
    const { file, coding, revoked: dead } = expected.get(request)!;
    const version = headers['model-version'] ?? '';
    const entry = manifests.get(version)?.files[file + suffix[coding]!];
    const right = dead
      ? status === 401
      : status === 200 &&
        entry?.etag === headers.etag &&
        entry?.sha256 === createHash('sha256').update(body).digest('hex');
    // A key revoked while its request was in flight may get either answer.
    const between = !dead && status === 401 && revoked.has(request.key);
    if (!right && !between) wrong.push(`${status} ${version} ${request.target} ${coding}`);
    seen.set(version, (seen.get(version) ?? 0) + 1);
  };
  const changeKeys = async () => {
    while (performance.now() < until) {
      await make();
      const [key, id] = [...live][0]!;
      await accounts.revokeKey(id, Date.now());
      live.delete(key);
      revoked.add(key);
      changes++;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const swapSnapshots = async () => {
    while (performance.now() < until) {
      const release = swaps % 5 === 4 ? '0000000f' : releases[swaps % releases.length]!;
      publish(made.build, join('snapshots', versionOf(release)));
      swaps++;
      await new Promise((resolve) => setTimeout(resolve, 1300));
    }
  };
  await Promise.all([drive(portOf(proxy.url), 64, { next, answered }), changeKeys(), swapSnapshots()]);
  await proxy.stop();
  for (const line of wrong.slice(0, 5)) process.stdout.write(`  ${line}\n`);
  report(
    wrong.length === 0 && !seen.has(versionOf('0000000f')),
    `soak: ${answers} answers in ${values['soak-seconds']} s, ${changes} keys created and as many revoked, ${swaps} snapshots published (some damaged), ${[...seen.keys()].filter(Boolean).length} versions served, ${wrong.length} answers wrong`,
  );
}

for (const proof of [minuteIsExact, monthSurvivesKills, revocationsHold, soak]) await within(proof);
