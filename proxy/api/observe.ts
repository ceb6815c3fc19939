/** Records each request for metrics, usage and access log. None contains anything that a client sent. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { KeyKind } from '../store/key-format.ts';
import type { ProblemCode } from './problems.ts';

/** The status logged for an answer that the client did not read to the end, as in nginx. */
const CLIENT_LEFT = 499;

/** One request, as in the access log. */
export interface AccessRecord {
  request_id: string;
  /** An operation of the contract, or 'none'. */
  operation: string;
  status: number;
  /** The code of the error that was the answer; null if it was a file. */
  error: ProblemCode | null;
  /** Id of the key, as `keys list` shows it; null if none was valid. */
  key_id: string | null;
  key_kind: KeyKind | 'none';
  ms: number;
}

export interface ObserveOptions {
  /** Called once for every request. */
  recordAccess: (record: AccessRecord) => void;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Called directly only for a request that skipped the hooks, such as malformed HTTP. */
    recordAccess: ObserveOptions['recordAccess'];
  }
}

export const observePlugin = fp(async (app: FastifyInstance, { recordAccess }: ObserveOptions) => {
  app.decorate('recordAccess', recordAccess);
  app.addHook('onRequest', (request, reply, done) => {
    const startedMs = performance.now();
    // Once the answer has been sent in full or the client has disconnected; Fastify's onResponse covers only the first.
    reply.raw.once('close', () => recordAccess(accessRecord(request, reply, performance.now() - startedMs)));
    done();
  });
});

function accessRecord(request: FastifyRequest, reply: FastifyReply, ms: number): AccessRecord {
  const holder = request.admission?.holder;
  return {
    request_id: request.id,
    operation: (holder && request.routeOptions.config.operation?.id) ?? 'none',
    status: reply.raw.writableFinished ? reply.statusCode : CLIENT_LEFT,
    error: request.problem,
    key_id: holder?.keyId ?? null,
    key_kind: holder?.kind ?? 'none',
    ms: Math.round(ms * 1000) / 1000,
  };
}
