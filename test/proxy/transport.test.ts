import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { BOUNDS, createBoundedServer } from '../../proxy/transport.ts';
import { exchange } from './raw-client.ts';

test('requests of one turn are answered by one opening of the door, and later ones by a later', async () => {
  let openings = 0;
  const door = () => {
    const opening = ++openings;
    return { answer: (_: unknown, response: ServerResponse) => void response.end(String(opening)), send() {} };
  };
  const server = createBoundedServer(door, BOUNDS, () => {});
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  const bodies = async (text: string) => (await exchange(port, text, { end: true })).answers.map(({ body }) => body);
  expect(await bodies(ask.repeat(20))).toEqual(Array(20).fill('1'));
  expect(await bodies(ask)).toEqual(['2']);
});
