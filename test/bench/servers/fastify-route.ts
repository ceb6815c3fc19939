/**
 * A bare Fastify route, which answers every request with one file and the proxy's headers. Arguments: file, and these
 * headers as a JSON array of alternating names and values.
 */
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const [file, all] = process.argv.slice(2);
const body = readFileSync(file!);
const lines = JSON.parse(all!) as string[];
const headers = Object.fromEntries(lines.flatMap((name, i) => (i % 2 ? [] : [[name.toLowerCase(), lines[i + 1]!]])));
const app = fastify();
app.get('/v1/*', (_request, reply) => void reply.headers(headers).send(body));
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
