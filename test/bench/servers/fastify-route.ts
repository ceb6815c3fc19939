/**
 * A minimal Fastify route with a key look-up, which answers with one file and the proxy's headers. Arguments: file,
 * key, and these headers as a JSON array of alternating names and values.
 */
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const [file, key, all] = process.argv.slice(2);
const body = readFileSync(file!);
const keys = new Map([[key!, { owner: 'bench' }]]);
const lines = JSON.parse(all!) as string[];
const headers = Object.fromEntries(lines.flatMap((name, i) => (i % 2 ? [] : [[name.toLowerCase(), lines[i + 1]!]])));
const app = fastify();
app.get('/v1/*', (request, reply) => {
  if (keys.has(String(request.headers['x-api-key']))) reply.headers(headers).send(body);
  else reply.code(401).send();
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
