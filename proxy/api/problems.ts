/** Errors as RFC 9457 `application/problem+json`, which never repeat any part of a request. */
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { ERRORS, FAULTS } from '../../pipeline/contract/errors.ts';
import type { Territory } from '../../pipeline/contract/territory.ts';
import { countryWords, fillPlaceholders } from '../../pipeline/contract/words.ts';
import { errorLine, TryAgain } from '../../pipeline/lib/errors.ts';
import { DamagedFile } from '../snapshot/snapshot.ts';

const PROBLEMS = { ...ERRORS, ...FAULTS };
export type ProblemCode = keyof typeof PROBLEMS;

declare module 'fastify' {
  interface FastifyRequest {
    /** The error that is the answer, if it is one. */
    problem: ProblemCode | null;
  }
}

interface Wording {
  /** Replaces the usual detail. */
  detail?: string | undefined;
  /** The country whose names for area levels the title uses. */
  territory?: Territory | undefined;
}

/** Status, headers and body of an error. */
export function problemResponse(
  code: ProblemCode,
  requestId: string,
  { detail = PROBLEMS[code].detail, territory }: Wording = {},
) {
  const { status, title: usualTitle } = PROBLEMS[code];
  const title = territory ? fillPlaceholders(usualTitle, countryWords(territory)) : usualTitle;
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, code, request_id: requestId });
  const headers = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  // As bytes: Fastify would add a charset to a string.
  return { status, headers, body: Buffer.from(body) };
}

/** Answers with the problem `code`. */
export function sendProblem(
  reply: FastifyReply,
  code: ProblemCode,
  extraHeaders: Record<string, string> = {},
  wording?: Wording,
): FastifyReply {
  const { status, headers, body } = problemResponse(code, reply.request.id, wording);
  reply.request.problem = code;
  return reply
    .code(status)
    .headers({ ...headers, ...extraHeaders })
    .send(body);
}

/** What is recorded of a request that cannot be read, besides its error. */
export const UNPARSED_REQUEST = { operation: 'none', key_id: null, key_kind: 'none', ms: 0 } as const;

/** For failures that may pass within seconds. */
export const RETRY_SOON = { 'retry-after': '5' };

/** Failures of the proxy itself: the operator gets the reason, the client only a 500 or 503. */
export const problemsPlugin = fp(
  async (app: FastifyInstance, { report }: { report: (line: string, cause: 'request' | 'snapshot') => void }) => {
    app.decorateRequest('problem', null);
    app.setErrorHandler((error: FastifyError, request, reply) => {
      // Methods that Node's parser knows and Fastify does not, such as RTSP's, end up here without passing any hook.
      if (error.code === 'FST_ERR_NOT_FOUND') {
        app.inFlight.closeAfterAnswer(request.raw.socket);
        app.recordAccess({ ...UNPARSED_REQUEST, request_id: request.id, status: 400, error: 'MALFORMED_REQUEST' });
        return sendProblem(reply, 'MALFORMED_REQUEST', { 'x-request-id': request.id, connection: 'close' });
      }
      // A client that has disconnected is not a failure.
      const isDamaged = error instanceof DamagedFile;
      if (!reply.raw.destroyed) {
        report(`request ${request.id} failed: ${errorLine(error)}`, isDamaged ? 'snapshot' : 'request');
      }
      if (!isDamaged && !(error instanceof TryAgain)) return sendProblem(reply, 'INTERNAL_ERROR');
      return sendProblem(reply, isDamaged ? 'DATA_DAMAGED' : 'SERVICE_UNAVAILABLE', RETRY_SOON);
    });
  },
);
