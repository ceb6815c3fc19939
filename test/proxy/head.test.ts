import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { dateLines, headerLines, writeHead } from '../../proxy/head.ts';
import { exchange } from './raw-client.ts';

test('a line can hold nothing that ends it', () => {
  expect(headerLines('etag', '"x"', 'vary', 'Origin')).toBe('etag: "x"\r\nvary: Origin\r\n');
  for (const value of ['a\r\nb: c', 'a\nb', 'a\0', 'ā']) expect(() => headerLines('etag', value)).toThrow(TypeError);
  for (const name of ['e tag', 'etag:', '', 'e\r\nx']) expect(() => headerLines(name, '1')).toThrow(TypeError);
});

test('the date is that of the second', () => {
  const dateOf = dateLines();
  expect(dateOf(Date.UTC(1994, 10, 6, 8, 49, 37, 999))).toBe('date: Sun, 06 Nov 1994 08:49:37 GMT\r\n');
  expect(dateOf(Date.UTC(1994, 10, 6, 8, 49, 38))).toBe('date: Sun, 06 Nov 1994 08:49:38 GMT\r\n');
});

test('Node sends the head as it is given, and keeps or ends the connection by it', async () => {
  const server = createServer((request, response) => {
    const status = Number(request.url!.slice(1));
    const body = status === 200 ? 'four' : '';
    const length = body === '' ? '' : headerLines('content-length', '4');
    writeHead(response, status, length, headerLines('connection', 'keep-alive'));
    response.end(request.method === 'HEAD' ? undefined : body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const ask = (line: string, ...more: string[]) => `${[line, 'Host: x', ...more].join('\r\n')}\r\n\r\n`;
  const { raw } = await exchange((server.address() as AddressInfo).port, [
    ask('GET /200 HTTP/1.1'),
    ask('GET /304 HTTP/1.1'),
    ask('HEAD /200 HTTP/1.1'),
    ask('GET /200 HTTP/1.1', 'Connection: close'),
  ]);
  expect(raw.split(/(?=HTTP)/)).toEqual([
    'HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: keep-alive\r\n\r\nfour',
    'HTTP/1.1 304 Not Modified\r\nconnection: keep-alive\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: keep-alive\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nfour',
  ]);
});

test('a client that closed its side while it waited has the connection end with its last answer', async () => {
  const waiting: (() => void)[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    waiting.push(() => {
      writeHead(response, 200, headerLines('content-length', '1'), headerLines('connection', 'keep-alive'));
      response.end(request.url!.slice(1));
    });
    if (waiting.length === 2) request.socket.once('end', () => setImmediate(() => waiting.forEach((go) => void go())));
  });
  Object.assign(server, { httpAllowHalfOpen: true }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const asked = 'GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n';
  const { answers } = await exchange((server.address() as AddressInfo).port, asked, { end: true });
  expect(answers.map(({ body, headers }) => [body, /^connection: (.*)$/m.exec(headers)![1]])).toEqual([
    ['1', 'keep-alive'],
    ['2', 'close'],
  ]);
});
