import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { portOf, splitAnswers } from '../../support/proxy/raw-client.ts';
import { giveKey, startService } from '../../support/proxy/service.ts';

const isOpen = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(portOf(url), '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

test('if the counts cannot be written on stopping, everything else is closed and the error is reported', async () => {
  // Its end, which the helper waits for, fails here.
  const service = await startService({}, (end) => onTestFinished(async () => Promise.resolve(end()).catch(() => {})));
  const { key } = await giveKey(service.store);
  expect((await service.get('/v1/periods', key)).status).toBe(200);
  vi.spyOn(service.store.usage, 'add').mockRejectedValue(new Error('database or disk is full'));
  await expect(service.close()).rejects.toThrow('usage not written: database or disk is full');
  expect([await isOpen(service.url), await isOpen(service.opsUrl)]).toEqual([false, false]);
  // The store is closed properly too.
  await expect(service.store.listKeys()).rejects.toThrow(/not open/);
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
