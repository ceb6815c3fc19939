/**
 * What a Fastify user would write in place of the proxy, as the plugins' makers describe it: `@fastify/bearer-auth`,
 * `@fastify/rate-limit` in memory and `@fastify/static` with precompressed files. Requests name the file, so nothing is
 * mapped. It keeps keys as plain text and forgets what it counted when it stops; it has no month, no scopes, no usage
 * and no metrics. Arguments: snapshot, a JSON file of keys, and the proxy's headers as a JSON array of alternating
 * names and values, of which it sends those that the plugins do not make themselves.
 */
import { readFileSync } from 'node:fs';
import bearerAuth from '@fastify/bearer-auth';
import rateLimit from '@fastify/rate-limit';
import serveStatic from '@fastify/static';
import fastify from 'fastify';

const MADE_BY_PLUGINS = /^(content-(type|length|encoding)|etag|vary|ratelimit.*)$/;

const [root, keyFile, all] = process.argv.slice(2);
const keys = new Set(JSON.parse(readFileSync(keyFile!, 'utf8')) as string[]);
const lines = JSON.parse(all!) as string[];
const headers = Object.fromEntries(
  lines
    .flatMap((name, i) => (i % 2 ? [] : [[name.toLowerCase(), lines[i + 1]!] as const]))
    .filter(([name]) => !MADE_BY_PLUGINS.test(name)),
);
const app = fastify();
// `keys` is compared with each key in turn, so that many keys need `auth`.
await app.register(bearerAuth, keys.size === 1 ? { keys } : { keys: new Set<string>(), auth: (key) => keys.has(key) });
await app.register(rateLimit, {
  max: 100_000_000,
  timeWindow: '1 minute',
  enableDraftSpec: true,
  keyGenerator: (request) => request.headers.authorization!,
});
await app.register(serveStatic, {
  root: root!,
  preCompressed: true,
  // A route for each file; a route for all of them reads every folder on the way to a file at every request.
  wildcard: false,
  cacheControl: false,
  lastModified: false,
  acceptRanges: false,
  setHeaders: (reply) => void reply.headers(headers),
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
