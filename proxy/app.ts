/** Assembly of the API: key, then limits, then outcome, then bytes. Listening is server.ts's. */
import { randomUUID } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from './clock.ts';
import { corsHeaders, isPreflight, preflightReply } from './cors.ts';
import { presentedKey } from './keys/credentials.ts';
import { hashKey, isWellFormed, type KeyKind } from './keys/key-format.ts';
import type { Holder, KeyReader } from './keys/store.ts';
import { limitHeaders } from './limits/limit-headers.ts';
import type { Limiter } from './limits/limiter.ts';
import type { Metrics } from './metrics.ts';
import { decide } from './operations.ts';
import { fileReply, problemReply, type Reply } from './replies.ts';
import type { SnapshotSource } from './snapshot/watch.ts';
import { answerBrokenRequest } from './transport.ts';
import { lineOf } from './usage-error.ts';

/** One answered request, as the access log has it: nothing of what the client wrote but the operation it met. */
export interface AccessRecord {
  request_id: string;
  operation: string;
  status: number;
  ms: number;
}

export interface AppOptions {
  keys: KeyReader;
  limiter: Limiter;
  snapshots: SnapshotSource;
  metrics: Metrics;
  clock: Clock;
  /** The service's defaults, for accounts without limits of their own. */
  perMinute: number;
  perMonth: number;
  corsOrigins: ReadonlySet<string>;
  /** Called with every answered request; null: no access log. */
  log: ((record: AccessRecord) => void) | null;
  /** Called with one line when the proxy itself fails. */
  report: (line: string) => void;
}

interface Answer {
  reply: Reply;
  operation: string;
  kind: KeyKind | 'none';
}

export function buildApp(options: AppOptions): FastifyInstance {
  const { keys, limiter, snapshots, metrics, clock, corsOrigins, log, report } = options;

  const holderOf = async (request: FastifyRequest): Promise<Holder | null> => {
    const key = presentedKey(request.raw.rawHeaders);
    return key !== null && isWellFormed(key) ? keys.identify(hashKey(key), clock.wallMs()) : null;
  };

  const answer = async (request: FastifyRequest): Promise<Answer> => {
    const { method, headers, id } = request;
    if (isPreflight(method, headers, corsOrigins)) return { reply: preflightReply(), operation: 'none', kind: 'none' };
    const holder = await holderOf(request);
    if (!holder) return { reply: problemReply('INVALID_KEY', id), operation: 'none', kind: 'none' };
    const { kind, scopes, keyId, ownerId } = holder;
    const verdict = await limiter.take({
      keyId,
      ownerId,
      perMinute: holder.perMinute ?? options.perMinute,
      perMonth: kind === 'live' ? (holder.perMonth ?? options.perMonth) : null,
    });
    const snapshot = snapshots.current();
    const outcome = decide({ method, target: request.originalUrl, scopes }, snapshot.manifest.coverage);
    const operation = outcome.operation?.id ?? 'none';
    let reply: Reply;
    if (verdict.refusedBy !== null) {
      reply = problemReply(verdict.refusedBy === 'month' ? 'ALLOWANCE_EXHAUSTED' : 'RATE_LIMITED', id);
    } else if (outcome.error !== undefined) {
      reply = problemReply(outcome.error, id);
    } else {
      const [acceptEncoding, ifNoneMatch] = [
        headers['accept-encoding'] as string | undefined,
        headers['if-none-match'],
      ];
      reply = await fileReply(outcome.operation, outcome.file, snapshot, { method, acceptEncoding, ifNoneMatch });
    }
    Object.assign(reply.headers, limitHeaders(verdict));
    return { reply, operation, kind };
  };

  /** Where every request comes in, before Fastify looks at its body. */
  const door = async (request: FastifyRequest, out: FastifyReply) => {
    const started = clock.steadyMs();
    let answered: Answer;
    try {
      answered = await answer(request);
    } catch (error) {
      report(`request ${request.id} failed: ${lineOf(error)}`);
      answered = { reply: problemReply('INTERNAL_ERROR', request.id), operation: 'none', kind: 'none' };
    }
    const { status, headers, body } = answered.reply;
    metrics.count(answered.operation, status, answered.kind);
    if (log) {
      const ms = Math.round((clock.steadyMs() - started) * 1000) / 1000;
      log({ request_id: request.id, operation: answered.operation, status, ms });
    }
    headers['x-request-id'] = request.id;
    if (corsOrigins.size > 0) Object.assign(headers, corsHeaders(request.headers.origin, corsOrigins));
    // Written as they are: Fastify would add a charset to the type, and the bytes need none of its serialising.
    out.hijack();
    out.raw.writeHead(status, headers);
    if (body instanceof Readable) pipeline(body, out.raw, () => {});
    else if (typeof body === 'string') out.raw.end(body, 'latin1');
    else out.raw.end(body);
  };

  const app = fastify({
    // The contract's table routes, by the exact text of the target and only after key and limits; so Fastify's router,
    // which decodes and answers malformed URLs on its own before any hook, is given one path for all.
    rewriteUrl: () => '/',
    genReqId: () => randomUUID(),
    clientErrorHandler: answerBrokenRequest,
    return503OnClosing: false,
    requestTimeout: 30_000,
    http: { maxHeaderSize: 16_384 },
  });
  app.addHook('onRequest', door);
  app.route({ method: ['GET', 'HEAD'], url: '/', handler: door });
  return app;
}
