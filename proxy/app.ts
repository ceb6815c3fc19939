/** Assembly of the API. Listening is server.ts's. */
import fastify, { type FastifyInstance } from 'fastify';
import type { Refused } from './malformed.ts';
import { type Bounds, createBoundedServer, type Door } from './transport.ts';

/**
 * The API's server around `door`. Fastify listens, closes and drains; requests go straight to the door by its
 * `serverFactory`. The contract's table routes them, by the exact text of the target and only after key and limits,
 * where Fastify's router decodes and answers malformed URLs on its own before any hook; and what its router, request
 * and reply objects cost besides, some 5% of a request, is saved.
 */
export function buildApp(door: Door, bounds: Bounds, refused: Refused): FastifyInstance {
  return fastify({
    serverFactory: () => createBoundedServer(door, bounds, refused),
    // The server has its own; Fastify's would write into an answer under way.
    clientErrorHandler: () => {},
  });
}
