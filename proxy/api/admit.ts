/**
 * Admission: the key of a request and both limits, decided by the store in one step; and the headers that report them.
 */
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { MINUTE_SECONDS, type Verdict } from '../limits/verdict.ts';
import type { Admission } from '../store/admission.ts';
import type { Gate } from '../store/gate.ts';
import { RETRY_SOON, sendProblem } from './problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the request and the state of the limits; null until the key has been checked. */
    admission: Admission | null;
  }
}

export interface AdmitOptions {
  gate: Gate;
}

export const admitPlugin = fp(async (app: FastifyInstance, { gate }: AdmitOptions) => {
  app.decorateRequest('admission', null);
  app.addHook('onRequest', (request, reply, done) => {
    const handleAdmission = (admission: Admission | 'unavailable' | null) => {
      if (admission === null) return void sendProblem(reply, 'INVALID_KEY', { 'www-authenticate': 'Bearer' });
      if (admission === 'unavailable') return void sendProblem(reply, 'SERVICE_UNAVAILABLE', RETRY_SOON);
      const { verdict } = admission;
      const { refusedBy } = verdict;
      request.admission = admission;
      reply.headers(limitHeaders(verdict));
      if (refusedBy === null) return done();
      const retry = { 'retry-after': String(verdict[refusedBy]!.resetSeconds) };
      sendProblem(reply, refusedBy === 'month' ? 'ALLOWANCE_EXHAUSTED' : 'RATE_LIMITED', retry);
    };
    const key = requestKey(request.raw.headersDistinct);
    if (key === null) handleAdmission(null);
    else gate.admit(key).then(handleAdmission).catch(done);
  });
});

/**
 * The key in `Authorization: Bearer KEY` or `x-api-key: KEY`; null if there is none, or if two differ. Every value of
 * each header counts, since Node's `headers` drops a second Authorization. Schemes such as Basic are ignored.
 */
export function requestKey({ authorization = [], 'x-api-key': apiKeys = [] }: NodeJS.Dict<string[]>): string | null {
  const bearers = authorization.filter((value) => /^bearer( |$)/i.test(value));
  const [key = null, ...otherKeys] = [...bearers.map((value) => value.replace(/^bearer */i, '')), ...apiKeys];
  return otherKeys.every((value) => value === key) ? key : null;
}

/**
 * `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10: q is the quota, w the window in
 * seconds, r the remainder, t the seconds until requests are granted again.
 */
export function limitHeaders({ minute, month }: Verdict): Record<string, string> {
  let policy = `"minute";q=${minute.limit};w=${MINUTE_SECONDS}`;
  let remaining = `"minute";r=${minute.remaining};t=${minute.resetSeconds}`;
  if (month) {
    policy += `, "month";q=${month.limit};w=${month.windowSeconds}`;
    remaining += `, "month";r=${month.remaining};t=${month.resetSeconds}`;
  }
  return { 'ratelimit-policy': policy, ratelimit: remaining };
}
