/**
 * kill -9 at random moments, while a client constantly uses its limit of 60 a minute: the limit is never exceeded in
 * any 60 seconds, and the client loses at most the request that was being answered. Several
 * servers run in parallel, since a minute takes a minute. Exits with 1 if a guarantee is violated.
 *
 *   node test/bench/proxy-kills.bench.ts [--servers 10] [--kills 4]
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeBuild } from '../support/proxy/fixture.ts';
import { openStore } from '../support/proxy/open-store.ts';
import { giveKey } from '../support/proxy/service.ts';
import { startNode } from './contenders.ts';
import { report } from './load.ts';

const { values } = parseArgs({
  options: { servers: { type: 'string', default: '10' }, kills: { type: 'string', default: '4' } },
});
const CLI = join(import.meta.dirname, '..', '..', 'proxy', 'cli', 'program.ts');
const [LIMIT, MINUTE_MS] = [60, 60_000];
/** A grant leaves the minute up to a second late. */
const LATE_MS = 1000;
const ASK_MS = 150;

interface Asked {
  from: number;
  to: number;
  status: number;
}

/** One server, killed `kills` times, and its only client. */
async function run(kills: number): Promise<Asked[]> {
  const { current, store, remove } = makeBuild();
  const accounts = await openStore(store);
  const { key } = await giveKey(accounts);
  await accounts.close();
  const asked: Asked[] = [];
  for (let life = 0; life <= kills; life++) {
    const ports = ['--port', '0', '--ops-port', '0'];
    const server = await startNode('proxy', CLI, [
      'serve',
      '--json',
      ...ports,
      '--snapshot',
      current,
      '--store',
      store,
    ]);
    const until = performance.now() + (life === kills ? 1.5 : Math.random() + 0.5) * MINUTE_MS;
    while (performance.now() < until) {
      const from = performance.now();
      const { status } = await fetch(`${server.url}/v1/periods`, { headers: { 'x-api-key': key } });
      asked.push({ from, to: performance.now(), status });
      await pause(ASK_MS);
    }
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
  }
  remove();
  return asked;
}

const [servers, kills] = [Number(values.servers), Number(values.kills)];
const runs = await Promise.all(Array.from({ length: servers }, () => run(kills)));
let [most, short] = [0, 0];
for (const asked of runs) {
  const grants = asked.filter(({ status }) => status === 200);
  for (const { from } of grants) {
    const within = grants.filter((other) => other.from >= from && other.to < from + MINUTE_MS);
    most = Math.max(most, within.length);
  }
  for (const { from, status } of asked) {
    if (status !== 429) continue;
    const before = grants.filter(({ to }) => to <= from && to > from - MINUTE_MS - LATE_MS);
    short = Math.max(short, LIMIT - before.length);
  }
}
const requests = runs.flat().length;
report(
  most <= LIMIT && short <= 1,
  `${servers * kills} kills, ${requests} requests: at most ${most} of ${LIMIT} granted in 60 s; refused with at least ${LIMIT - short} granted in the 61 s before`,
);
