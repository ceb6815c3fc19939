/**
 * Bare node:http that answers every request with the same file: the upper limit for Node.js. Arguments: file, coding,
 * and optionally the headers to send, as a JSON array of alternating names and values.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [file, coding, all] = process.argv.slice(2);
const body = readFileSync(file!);
const few = {
  'content-type': 'application/json',
  'content-length': body.length,
  ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
};
const headers = all === undefined ? few : (JSON.parse(all) as string[]);
const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
});
