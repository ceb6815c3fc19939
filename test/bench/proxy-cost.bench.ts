/**
 * What each step of a request costs the proxy, in CPU time by itself: the request and the answer are dummies, so nothing
 * of Node's own work (parsing, writing headers, the system's) is in it. Figures are medians over the rounds. Below them,
 * how much of what a request leaves behind grows old: of that the whole heap is swept, which all requests then wait for.
 *
 *   node test/bench/proxy-cost.bench.ts [--rounds 7]
 */
import { parseArgs } from 'node:util';
import { getHeapSpaceStatistics } from 'node:v8';
import { hashKey, isWellFormed } from '../../proxy/accounts/key-format.ts';
import { openStore } from '../../proxy/accounts/open-store.ts';
import { momentOf, systemClock } from '../../proxy/clock.ts';
import { openDoor } from '../../proxy/door.ts';
import { presentedKey } from '../../proxy/keys/credentials.ts';
import { composeGate } from '../../proxy/limits/gate.ts';
import { limitLines } from '../../proxy/limits/limit-headers.ts';
import { openLimiter } from '../../proxy/limits/open-limiter.ts';
import { createMetrics } from '../../proxy/metrics.ts';
import { newRequestId } from '../../proxy/request-id.ts';
import { watchSnapshot } from '../../proxy/snapshot/watch.ts';
import { makeBuild } from '../proxy/fixture.ts';
import { giveKey } from '../proxy/service.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });
const TIMES = 200_000;
const [perMinute, perMonth] = [100_000_000, 1_000_000_000];

const { current, store: url, remove } = makeBuild();
const store = await openStore(url);
const { key } = await giveKey(store);
const limiter = openLimiter('sqlite', url, systemClock);
const snapshots = await watchSnapshot(current, { report: () => {} });
const metrics = createMetrics();
const door = openDoor({
  ...{
    gate: composeGate(store, limiter, { perMinute, perMonth }, systemClock),
    snapshots,
    metrics,
    clock: systemClock,
  },
  ...{ usage: { count() {}, async flush() {} }, corsOrigins: new Set<string>(), idleMs: 65_000, log: null },
  ...{ report: () => {} },
});
const rawHeaders = ['Host', '127.0.0.1:8080', 'x-api-key', key, 'Accept-Encoding', 'gzip'];
const headers = { host: '127.0.0.1:8080', 'x-api-key': key, 'accept-encoding': 'gzip' };
const request = { method: 'GET', url: '/v1/risk/lgas?state=LA&period=2023-12', rawHeaders, headers };
const response = { shouldKeepAlive: true, writeHead() {}, end() {} };
const round = door();
const serve = () => {
  round.answer(request as never, response as never);
  round.send();
};
const charge = { keyId: 'key', ownerId: 'owner', perMinute, perMonth };
const verdict = await limiter.take(charge, momentOf(systemClock));
const printable = /[^\t\x20-\x7e]/;

const STEPS: Record<string, () => unknown> = {
  'all of it': serve,
  'finding the key in the headers': () => presentedKey(rawHeaders),
  'who holds it, found by its text': () => store.identify(key, Date.now()),
  'its SHA-256 (keys not seen of late)': () => hashKey(key),
  'its checksum (unknown keys only)': () => isWellFormed(key),
  'minute and month': () => limiter.take(charge, momentOf(systemClock)),
  'their headers, as text': () => printable.test(limitLines(verdict)),
  'the request id, as text': () => printable.test(newRequestId()),
  'counting for the metrics': () => metrics.count('risk-lgas', 200, 'live'),
};

for (const [name, step] of Object.entries(STEPS)) {
  const costs: number[] = [];
  for (let round = 0; round <= Number(values.rounds); round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < TIMES; i++) step();
    const { user, system } = process.cpuUsage(before);
    // The first round is for the compiler.
    if (round > 0) costs.push((user + system) / TIMES);
  }
  const median = costs.toSorted((a, b) => a - b)[costs.length >> 1]!;
  process.stdout.write(`${name.padEnd(36)} ${median.toFixed(2)} µs\n`);
}
const oldBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size;
const before = oldBytes();
for (let i = 0; i < 5 * TIMES; i++) serve();
const growth = (oldBytes() - before) / (5 * TIMES);
process.stdout.write(`${'growth of the old generation'.padEnd(36)} ${growth.toFixed(2)} bytes a request\n`);
snapshots.close();
await limiter.close();
await store.close();
remove();
