/** Assembly of the API. Listening is server.ts's. */
import { createServer, type Server } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import type { Handler } from './door.ts';
import { answerBrokenRequest, BOUNDS, closeSilent, routeOddRequests } from './transport.ts';

/**
 * The API's server around `door`. Fastify listens, closes and drains; requests go straight to the door by its
 * `serverFactory`: the contract's table routes them, by the exact text of the target and only after key and limits,
 * where Fastify's router decodes and answers malformed URLs on its own before any hook. What its router, request and
 * reply objects cost besides, 4 to 8% of a request, is saved.
 */
export function buildApp(door: Handler): FastifyInstance {
  return fastify({
    serverFactory: () => {
      const server: Server = createServer(BOUNDS.server, door);
      server.maxConnections = BOUNDS.connections;
      server.on('clientError', answerBrokenRequest);
      closeSilent(server);
      routeOddRequests(server, door);
      return server;
    },
  });
}
