/** What operators see of each request: metrics, and a line of the access log. Nothing that a client wrote is in either. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { KeyKind } from '../accounts/key-format.ts';
import type { Metrics } from '../metrics.ts';

/** The status of an answer that was not read to its end, as nginx has it. */
const CLIENT_LEFT = 499;

/** One request, as the access log has it. */
export interface AccessRecord {
  request_id: string;
  /** An operation of the contract, or 'none'. */
  operation: string;
  status: number;
  /** Which key, by the id that `keys list` shows; null where none was valid. */
  key_id: string | null;
  key_kind: KeyKind | 'none';
  ms: number;
}

export interface ObserveOptions {
  metrics: Metrics;
  /** Called with every answered request; null: no access log. */
  log: ((record: AccessRecord) => void) | null;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts and logs one request that never became Fastify's, such as what is not HTTP. */
    observe(record: AccessRecord): void;
  }
}

export const observe = fp(async (app: FastifyInstance, { metrics, log }: ObserveOptions) => {
  app.decorate('observe', (record: AccessRecord) => {
    metrics.count(record);
    log?.(record);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const started = performance.now();
    // Once it is sent to its end, or its client has left: Fastify's onResponse knows of the first alone.
    reply.raw.once('close', () => app.observe(recordOf(request, reply, performance.now() - started)));
    done();
  });
});

function recordOf(request: FastifyRequest, reply: FastifyReply, ms: number): AccessRecord {
  const holder = request.admission?.holder;
  return {
    request_id: request.id,
    operation: (holder && request.operation?.id) ?? 'none',
    status: reply.raw.writableFinished ? reply.statusCode : CLIENT_LEFT,
    key_id: holder?.keyId ?? null,
    key_kind: holder?.kind ?? 'none',
    ms: Math.round(ms * 1000) / 1000,
  };
}
