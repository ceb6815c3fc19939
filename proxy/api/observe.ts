/** Records each request in the metrics and the access log. Neither repeats anything that a client sent. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { KeyKind } from '../store/key-format.ts';

/** The status logged for an answer that the client did not read to the end, as in nginx. */
const CLIENT_LEFT = 499;

/** One request, as in the access log. */
export interface AccessRecord {
  request_id: string;
  /** An operation of the contract, or 'none'. */
  operation: string;
  status: number;
  /** Id of the key, as `keys list` shows it; null if none was valid. */
  key_id: string | null;
  key_kind: KeyKind | 'none';
  ms: number;
}

export interface ObserveOptions {
  metrics: {
    /** Counts one answered request. */
    count(record: AccessRecord): void;
  };
  /** Called for every request; null for no access log. */
  log: ((record: AccessRecord) => void) | null;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts and logs a request. Called directly only for one that skipped the hooks, such as malformed HTTP. */
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
    // Once the answer has been sent in full or the client has disconnected; Fastify's onResponse covers only the first.
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
