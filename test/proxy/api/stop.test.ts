import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startServer } from '../../../proxy/server/server.ts';
import { makeBuild } from '../../support/proxy/fixture.ts';
import { portOf, splitAnswers } from '../../support/proxy/raw-client.ts';
import { giveKey, startService } from '../../support/proxy/service.ts';

const isOpen = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(portOf(url), '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

test('if the counts cannot be written on stopping, everything else is closed and the error is reported', async () => {
  const { current, store, remove } = makeBuild();
  try {
    const server = await startServer({
      snapshot: current,
      store,
      mayCreate: true,
      host: '127.0.0.1',
      port: 0,
      opsPort: 0,
      perMinute: 100,
      perMonth: 100,
      report: () => {},
      giveUp: () => {},
    });
    const { key } = await giveKey(server.store);
    expect((await fetch(`${server.url}/v1/periods`, { headers: { 'x-api-key': key } })).status).toBe(200);
    vi.spyOn(server.store.usage, 'add').mockRejectedValue(new Error('database or disk is full'));
    await expect(server.close()).rejects.toThrow('usage not written: database or disk is full');
    expect([await isOpen(server.url), await isOpen(server.opsUrl)]).toEqual([false, false]);
    // The store is closed properly too.
    await expect(server.store.listKeys()).rejects.toThrow(/not open/);
  } finally {
    remove();
  }
});

test('an answer in flight while the server stops is sent completely, and then the connection ends', async () => {
  const service = await startService({ fixture: { outlinePoints: 200_000 } });
  const { key } = await giveKey(service.store);
  const socket = connect(portOf(service.url), '127.0.0.1');
  socket.write(`GET /v1/boundaries/states HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`);
  // It is not read to the end for now, which keeps the connection open.
  await once(socket, 'readable');
  const stopped = service.close();
  // Longer than new requests are accepted.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part);
  await stopped;
  const file = join(service.build, 'current', 'v1/boundaries/states.json');
  const [large] = splitAnswers(Buffer.concat(parts).toString('latin1'));
  expect(large!.body).toBe(readFileSync(file, 'latin1'));
});

test('a request already on its way on an idle connection when the server begins to stop is answered', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  const ask = `GET /v1/periods HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`;
  const sockets = [connect(portOf(service.url), '127.0.0.1'), connect(portOf(service.url), '127.0.0.1')];
  for (const socket of sockets) {
    socket.write(ask);
    await once(socket, 'data');
  }
  const [late, idle] = sockets.map(async (socket) => {
    const parts: Buffer[] = [];
    for await (const part of socket) parts.push(part);
    return splitAnswers(Buffer.concat(parts).toString('latin1'));
  });
  const stopped = service.close();
  sockets[0]!.write(ask);
  const [answer, ...more] = (await late)!;
  expect([answer!.status, more]).toEqual([200, []]);
  expect(answer!.headers.toLowerCase()).toContain('connection: close');
  expect(await idle).toEqual([]);
  await stopped;
});
