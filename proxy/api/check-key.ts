/** Authentication: the key of a request, checked against store and limits in one step. */
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Clock } from '../../pipeline/lib/clock.ts';
import type { Admission, Gate, Unavailable } from '../store/gate.ts';
import { sendProblem } from './problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the request and the state of the limits; null until the key has been checked. */
    admission: Admission | null;
  }
}

export interface KeysOptions {
  gate: Gate;
  clock: Clock;
}

export const keys = fp(async (app: FastifyInstance, { gate, clock }: KeysOptions) => {
  app.decorateRequest('admission', null);
  app.addHook('onRequest', (request, reply, done) => {
    const key = presentedKey(request.raw.headersDistinct);
    const found = key === null ? null : gate.admit(key, clock.wallMs());
    const enter = (admission: Admission | Unavailable | null) => {
      if (admission === null) return void sendProblem(reply, 'INVALID_KEY', { 'www-authenticate': 'Bearer' });
      if ('retrySeconds' in admission) {
        return void sendProblem(reply, 'SERVICE_UNAVAILABLE', { 'retry-after': String(admission.retrySeconds) });
      }
      request.admission = admission;
      done();
    };
    // Synchronously if the result is available at once, as on a single machine.
    if (found instanceof Promise) found.then(enter).catch(done);
    else enter(found);
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
