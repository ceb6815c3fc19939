import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BOUNDS, type Bounds, createBoundedServer, type Door } from '../../proxy/transport.ts';
import { exchange } from './raw-client.ts';

const ASK = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const CONNECT = 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n';

async function serve(door: Door, bounds: Bounds = BOUNDS): Promise<Server> {
  const server = createBoundedServer(door, bounds, () => {});
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server;
}
const portOf = (server: Server) => (server.address() as AddressInfo).port;
const hasNoConnections = (server: Server) =>
  vi.waitFor(async () => expect(await promisify(server.getConnections.bind(server))()).toBe(0));

test('requests of one turn are answered by one opening of the door, and later ones by a later', async () => {
  let openings = 0;
  const door = () => {
    const opening = ++openings;
    return { answer: (_: unknown, response: ServerResponse) => void response.end(String(opening)), send() {} };
  };
  const port = portOf(await serve(door));
  const bodies = async (text: string) => (await exchange(port, text, { end: true })).answers.map(({ body }) => body);
  expect(await bodies(ASK.repeat(20))).toEqual(Array(20).fill('1'));
  expect(await bodies(ASK)).toEqual(['2']);
});

test('a connection whose answers took a while is idle for as long as any other', async () => {
  const [silenceMs, idleMs] = [200, 1000];
  const answer = (_: unknown, response: ServerResponse) => void response.end('x'.repeat(100_000));
  const port = portOf(await serve(() => ({ answer, send() {} }), { ...BOUNDS, silenceMs, idleMs }));
  const socket = connect(port, '127.0.0.1').resume();
  const started = performance.now();
  // The second waits for the first.
  socket.write(ASK.repeat(2));
  await once(socket, 'close');
  expect(performance.now() - started).toBeGreaterThanOrEqual(idleMs);
});

describe.each([
  ['', ''],
  [' with CONNECT behind it', CONNECT],
])('an answer of which nothing is read%s', (_, behind) => {
  /** More than the system takes off the server's hands. */
  const answer = (_: unknown, response: ServerResponse) => void response.end('x'.repeat(20_000_000));
  const askOf = async (server: Server) => {
    const socket = connect(portOf(server), '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.pause().write(ASK.repeat(3) + behind);
    await once(socket, 'readable');
  };

  test('is cut off once it has been silent for too long', async () => {
    const server = await serve(() => ({ answer, send() {} }), { ...BOUNDS, silenceMs: 100 });
    await askOf(server);
    await hasNoConnections(server);
  });

  test('does not outlast a stop that has waited for long enough', async () => {
    const server = await serve(() => ({ answer, send() {} }));
    await askOf(server);
    server.close();
    server.closeAllConnections();
    await hasNoConnections(server);
  });
});
