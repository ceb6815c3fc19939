import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../../proxy/clock.ts';
import { startServer } from '../../proxy/server.ts';
import { makeBuild } from './fixture.ts';
import { portOf } from './raw-client.ts';
import { giveKey } from './service.ts';

const isOpen = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(portOf(url), '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

test('limits that cannot be written down at the stop keep nothing else open, and the stop says so', async () => {
  const { current, store, remove } = makeBuild();
  try {
    let isFull = false;
    const server = await startServer({
      ...{ snapshot: current, store, limits: 'sqlite', host: '127.0.0.1', port: 0, opsPort: 0 },
      ...{ perMinute: 100, perMonth: 100, report: () => {}, giveUp: () => {} },
      // Stands for a full disk: the limiter asks for the time as it writes.
      clock: {
        wallMs: systemClock.wallMs,
        steadyMs: () => {
          if (isFull) throw new Error('database or disk is full');
          return systemClock.steadyMs();
        },
      },
    });
    const { key } = await giveKey(server.store);
    expect((await fetch(`${server.url}/v1/periods`, { headers: { 'x-api-key': key } })).status).toBe(200);
    isFull = true;
    await expect(server.close()).rejects.toThrow('database or disk is full');
    expect([await isOpen(server.url), await isOpen(server.opsUrl)]).toEqual([false, false]);
    // The store is closed in order too, so times of last use are kept.
    expect(() => server.store.listKeys()).toThrow(/not open/);
  } finally {
    remove();
  }
});
