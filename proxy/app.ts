/** Assembly of the API. Listening is server.ts's. */
import fastify, { type FastifyInstance } from 'fastify';
import { type DoorOptions, openDoor } from './door.ts';
import { answerBrokenRequest, TIMEOUTS } from './transport.ts';

export function buildApp(options: DoorOptions): FastifyInstance {
  const door = openDoor(options);
  const app = fastify({
    // The contract's table routes, by the exact text of the target and only after key and limits; so Fastify's router,
    // which decodes and answers malformed URLs on its own before any hook, is given one path for all.
    rewriteUrl: () => '/',
    clientErrorHandler: answerBrokenRequest,
    return503OnClosing: false,
    ...TIMEOUTS,
    http: { maxHeaderSize: 16_384, optimizeEmptyRequests: true } as object,
  });
  app.addHook('onRequest', (request, reply, _done) => {
    reply.hijack();
    door(request.raw, reply.raw, request.originalUrl);
  });
  app.route({ method: ['GET', 'HEAD'], url: '/', handler: () => {} });
  return app;
}
