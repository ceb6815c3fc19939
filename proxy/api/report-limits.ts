/** The limits of a request: the headers that report them, and the 429 once one is reached. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Clock } from '../../pipeline/lib/clock.ts';
import { MINUTE_S, type Verdict } from '../limits/verdict.ts';
import type { UsageCounter } from '../store/usage-counts.ts';
import { type ProblemCode, sendProblem } from './problems.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts an error that a request was answered with, for the owner of its key. */
    countProblem(request: FastifyRequest, code: ProblemCode): void;
  }
}

export interface LimitsOptions {
  usage: UsageCounter;
  clock: Clock;
}

export const limits = fp(async (app: FastifyInstance, { usage, clock }: LimitsOptions) => {
  app.decorate('countProblem', ({ admission, operation }: FastifyRequest, code: ProblemCode) => {
    if (admission) usage.countError(admission.holder.keyId, operation?.id ?? 'none', code, clock.wallMs());
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { holder, verdict } = request.admission!;
    const { refusedBy } = verdict;
    usage.count(holder.keyId, request.operation?.id ?? 'none', refusedBy !== null, clock.wallMs());
    reply.headers(limitHeaders(verdict));
    if (refusedBy === null) return done();
    const retry = { 'retry-after': String(verdict[refusedBy]!.resetSeconds) };
    sendProblem(reply, refusedBy === 'month' ? 'ALLOWANCE_EXHAUSTED' : 'RATE_LIMITED', retry);
  });
});

/**
 * `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10: q is the quota, w the window in
 * seconds, r the remainder, t the seconds until requests are granted again.
 */
export function limitHeaders({ minute, month }: Verdict): Record<string, string> {
  let policy = `"minute";q=${minute.limit};w=${MINUTE_S}`;
  let state = `"minute";r=${minute.remaining};t=${minute.resetSeconds}`;
  if (month) {
    policy += `, "month";q=${month.limit};w=${month.windowSeconds}`;
    state += `, "month";r=${month.remaining};t=${month.resetSeconds}`;
  }
  return { 'ratelimit-policy': policy, ratelimit: state };
}
