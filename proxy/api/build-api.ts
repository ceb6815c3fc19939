/** Builds the API: the plugins that a request passes through, in that order. server/server.ts starts it. */
import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type AdmitOptions, admitPlugin } from './admit.ts';
import { type ObserveOptions, observePlugin } from './observe.ts';
import { problemsPlugin } from './problems.ts';
import { type Bounds, protocolPlugin, refuseBrokenRequest } from './protocol.ts';
import { type RoutesOptions, routesPlugin } from './routes.ts';

export interface ApiOptions extends AdmitOptions, ObserveOptions, RoutesOptions {
  bounds: Bounds;
  /** Called with a line for each request that fails. */
  report: (line: string, cause: 'request' | 'snapshot') => void;
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: readonly string[];
}

export async function buildApi(options: ApiOptions): Promise<FastifyInstance> {
  const { bounds, corsOrigins } = options;
  const app = fastify({
    rewriteUrl: ({ url = '' }) => routerTarget(url),
    genReqId: () => randomUUID(),
    // A version's name may be as long as a request target.
    routerOptions: { maxParamLength: bounds.headerBytes },
    keepAliveTimeout: bounds.idleMs,
    connectionTimeout: bounds.silenceMs,
    requestTimeout: bounds.requestMs,
    // The Host header is checked in protocol.ts, so that its refusal looks like all others.
    http: {
      maxHeaderSize: bounds.headerBytes,
      headersTimeout: bounds.headersMs,
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(2000, bounds.headersMs / 2),
    },
    // Requests that arrive while the server is stopping are still answered; then their connections are closed.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => refuseBrokenRequest(app, error, socket),
  });
  app.server.maxConnections = bounds.connections;
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ vary: 'Accept-Encoding', 'x-content-type-options': 'nosniff', 'x-request-id': request.id });
    done();
  });
  await app.register(problemsPlugin, options);
  await app.register(observePlugin, options);
  await app.register(protocolPlugin, options);
  if (corsOrigins.length > 0) {
    await app.register(cors, { delegator: (request, done) => done(null, corsOptions(request, corsOrigins)) });
  }
  await app.register(admitPlugin, options);
  await app.register(routesPlugin, options);
  return app;
}

/**
 * The part of a request target that the router sees: path and query, or `/`, which is not a route, if the router would
 * decode the path or cut it at `#`. So paths are matched as they are, and none is found to be malformed before the key
 * has been checked. The absolute form (`GET http://host/path`), which servers must accept (RFC 9112, 3.2.2), loses its
 * scheme and authority.
 */
function routerTarget(target: string): string {
  const originForm = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  return /^\/[^?%#]*(?:\?|$)/.test(originForm) ? originForm : '/';
}

/** The headers of an answer that a web page may read. */
const EXPOSED_HEADERS = [
  'Accept-Ranges',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Link',
  'Model-Version',
  'Sunset',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];

/** A preflight cannot carry a key: one from a listed origin is answered without a key; any other gets a 401. */
function corsOptions({ headers }: FastifyRequest, origins: readonly string[]) {
  if (headers.origin === undefined || !origins.includes(headers.origin)) return { origin: false };
  return {
    origin: [headers.origin],
    preflight: headers['access-control-request-method'] !== undefined,
    methods: ['GET', 'HEAD'],
    allowedHeaders: ['Authorization', 'X-Api-Key', 'If-None-Match', 'If-Range', 'Range'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 3600,
  };
}
