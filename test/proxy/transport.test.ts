import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { BOUNDS, type Bounds, createBoundedServer, type Door } from '../../proxy/transport.ts';
import { exchange } from './raw-client.ts';

const ASK = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

async function serve(door: Door, bounds: Bounds = BOUNDS): Promise<number> {
  const server = createBoundedServer(door, bounds, () => {});
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('requests of one turn are answered by one opening of the door, and later ones by a later', async () => {
  let openings = 0;
  const door = () => {
    const opening = ++openings;
    return { answer: (_: unknown, response: ServerResponse) => void response.end(String(opening)), send() {} };
  };
  const port = await serve(door);
  const bodies = async (text: string) => (await exchange(port, text, { end: true })).answers.map(({ body }) => body);
  expect(await bodies(ASK.repeat(20))).toEqual(Array(20).fill('1'));
  expect(await bodies(ASK)).toEqual(['2']);
});

test('a connection whose answers took a while is idle for as long as any other', async () => {
  const [silenceMs, idleMs] = [200, 1000];
  const answer = (_: unknown, response: ServerResponse) => void response.end('x'.repeat(100_000));
  const port = await serve(() => ({ answer, send() {} }), { ...BOUNDS, silenceMs, idleMs });
  const socket = connect(port, '127.0.0.1').resume();
  const started = performance.now();
  // The second waits for the first.
  socket.write(ASK.repeat(2));
  await once(socket, 'close');
  expect(performance.now() - started).toBeGreaterThanOrEqual(idleMs);
});
