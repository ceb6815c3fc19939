/** The plainest Fastify route with a key look-up and nothing else. Arguments: file, coding, key. */
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const [file, coding, key] = process.argv.slice(2);
const body = readFileSync(file!);
const keys = new Map([[key!, { owner: 'bench' }]]);
const app = fastify();
app.get('/file', (request, reply) => {
  if (!keys.has(String(request.headers['x-api-key']))) {
    reply.code(401).send();
    return;
  }
  reply.header('content-type', 'application/json');
  if (coding === 'gzip') reply.header('content-encoding', 'gzip');
  reply.send(body);
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}/file\n`);
