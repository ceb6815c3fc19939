/** Rounds in which something fails: each request has an answer of its own all the same. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../proxy/clock.ts';
import { openDoor } from '../../proxy/door.ts';
import type { Gate } from '../../proxy/limits/gate.ts';
import { createMetrics } from '../../proxy/metrics.ts';
import { openSnapshot } from '../../proxy/snapshot/snapshot.ts';
import { BOUNDS, createBoundedServer } from '../../proxy/transport.ts';
import { makeBuild } from './fixture.ts';
import { exchange } from './raw-client.ts';
import { ALL_SCOPES } from './service.ts';

async function serve(
  admit: Gate['admit'],
): Promise<{ statuses(keys: string[]): Promise<number[]>; reports: string[] }> {
  const { current, remove } = makeBuild();
  onTestFinished(remove);
  const snapshot = await openSnapshot(current);
  const reports: string[] = [];
  const door = openDoor({
    gate: { admit, monthUsed: () => 0, unavailable: () => null, close: () => {} },
    snapshots: { current: () => snapshot, refused: () => null, close: () => {} },
    metrics: createMetrics(),
    usage: { count: () => {}, flush: async () => {} },
    clock: systemClock,
    corsOrigins: new Set(),
    idleMs: BOUNDS.idleMs,
    log: null,
    report: (line) => reports.push(line),
  });
  const server = createBoundedServer(door, BOUNDS, () => {});
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = (key: string) => `GET /v1/periods HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`;
  return {
    statuses: async (keys) => {
      const { answers } = await exchange(port, keys.map(ask).join(''), { end: true });
      return answers.map(({ status }) => status);
    },
    reports,
  };
}

const minute = { limit: 10, remaining: 9, resetSeconds: 60 };
const admission = {
  holder: { keyId: 'k', ownerId: 'o', kind: 'test', scopes: ALL_SCOPES, perMinute: null, perMonth: null },
  verdict: { refusedBy: null, minute, month: null },
} as const;

const admit: Gate['admit'] = (key) => {
  if (key === 'throws') throw new Error('disk I/O error');
  if (key === 'rejects') return Promise.reject(new Error('gone'));
  if (key === 'later') return new Promise((resolve) => setTimeout(resolve, 20, admission));
  return key === 'good' ? admission : null;
};

test('a request that fails in the midst of a round costs the others nothing', async () => {
  const { statuses, reports } = await serve(admit);
  const keys = ['good', 'throws', 'good', 'rejects', 'later', 'bad', 'good'];
  expect(await statuses(keys)).toEqual([200, 500, 200, 500, 200, 401, 200]);
  // The second is held back for a second.
  expect(reports).toEqual([expect.stringMatching(/^request \w{16} failed: disk I\/O error$/)]);
});
