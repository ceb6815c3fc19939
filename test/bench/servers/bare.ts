/**
 * Bare node:http that sends one file's bytes, whatever is asked: the most that Node can do. Arguments: file, coding, and
 * where it shall send others than the few that a client needs, its headers as JSON of names and values in turn.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [file, coding, all] = process.argv.slice(2);
const body = readFileSync(file!);
const few = {
  'content-type': 'application/json',
  'content-length': body.length,
  ...(coding === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
};
const headers = all === undefined ? few : (JSON.parse(all) as string[]);
const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
});
