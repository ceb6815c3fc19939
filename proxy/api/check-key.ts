/** Authentication: the key of a request, checked against store and limits in one step. */
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Admission } from '../store/admission.ts';
import type { Gate, Unavailable } from '../store/gate.ts';
import { sendProblem } from './problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the request and the state of the limits; null until the key has been checked. */
    admission: Admission | null;
  }
}

export interface KeysOptions {
  gate: Gate;
}

export const keys = fp(async (app: FastifyInstance, { gate }: KeysOptions) => {
  app.decorateRequest('admission', null);
  app.addHook('onRequest', (request, reply, done) => {
    const key = presentedKey(request.raw.headersDistinct);
    const enter = (admission: Admission | Unavailable | null) => {
      if (admission === null) return void sendProblem(reply, 'INVALID_KEY', { 'www-authenticate': 'Bearer' });
      if ('retrySeconds' in admission) {
        return void sendProblem(reply, 'SERVICE_UNAVAILABLE', { 'retry-after': String(admission.retrySeconds) });
      }
      request.admission = admission;
      done();
    };
    if (key === null) enter(null);
    else gate.admit(key).then(enter).catch(done);
  });
});

/**
 * The key in `Authorization: Bearer KEY` or `x-api-key: KEY`; null if there is none, or if two differ. Every value of
 * each header counts, since Node's `headers` drops a second Authorization. Schemes such as Basic are ignored.
 */
export function presentedKey({ authorization = [], 'x-api-key': plain = [] }: NodeJS.Dict<string[]>): string | null {
  const bearers = authorization.filter((value) => /^bearer( |$)/i.test(value));
  const [key = null, ...others] = [...bearers.map((value) => value.replace(/^bearer */i, '')), ...plain];
  return others.every((other) => other === key) ? key : null;
}
