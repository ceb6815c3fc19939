import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { closeWhenIdle } from '../../proxy/idle.ts';

const IDLE_MS = 400;
const ASK = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

async function serve(isAtWork: (socket: Socket) => boolean = () => false): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 0 }, (_, response) => void response.end('x'));
  closeWhenIdle(server, IDLE_MS, isAtWork);
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return server;
}

async function open(server: Server): Promise<{ socket: Socket; closedAfter: Promise<number> }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const opened = performance.now();
  const closedAfter = once(socket.on('error', () => {}).resume(), 'close').then(() => performance.now() - opened);
  return { socket, closedAfter };
}

test('a connection that had its answer is closed once it was idle for long enough', async () => {
  const { socket, closedAfter } = await open(await serve());
  socket.write(ASK);
  expect(await closedAfter).toBeGreaterThanOrEqual(IDLE_MS);
});

test('one that goes on asking is not, nor one that was answered nothing yet', async () => {
  const server = await serve();
  const asking = await open(server);
  const silent = await open(server);
  for (let i = 0; i < 10; i++) {
    asking.socket.write(ASK);
    await pause(IDLE_MS / 4);
  }
  expect(asking.socket.closed).toBe(false);
  expect(silent.socket.closed).toBe(false);
  expect(await asking.closedAfter).toBeGreaterThanOrEqual(IDLE_MS * 3.2);
});

test('one at work is not, however little moves, and is idle only from then on', async () => {
  let isAtWork = true;
  const { socket, closedAfter } = await open(await serve(() => isAtWork));
  socket.write(ASK);
  await pause(IDLE_MS * 3);
  expect(socket.closed).toBe(false);
  isAtWork = false;
  expect(await closedAfter).toBeGreaterThanOrEqual(IDLE_MS * 3.8);
});
