/** Who is asking: the key of a request, checked against store and limits in one step. */
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type Clock, momentOf } from '../clock.ts';
import type { Admission, Gate } from '../limits/gate.ts';
import { sendProblem } from './problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is and what the limits say; null until the key is known. */
    admission: Admission | null;
  }
}

export interface KeysOptions {
  gate: Gate;
  clock: Clock;
}

export const keys = fp(async (app: FastifyInstance, { gate, clock }: KeysOptions) => {
  app.decorateRequest('admission', null);
  app.addHook('onRequest', async (request, reply) => {
    const key = presentedKey(request.raw.headersDistinct);
    const admission = key === null ? null : await gate.admit(key, momentOf(clock));
    if (admission === null) return sendProblem(reply, 'INVALID_KEY', { 'www-authenticate': 'Bearer' });
    if ('retrySeconds' in admission) {
      return sendProblem(reply, 'SERVICE_UNAVAILABLE', { 'retry-after': String(admission.retrySeconds) });
    }
    request.admission = admission;
  });
});

/**
 * The key in `Authorization: Bearer KEY` or `x-api-key: KEY`; null where there is none, or where two differ. Takes each
 * header as often as it was sent: Node's `headers` would silently drop a second Authorization. Another scheme, such as
 * Basic, is not a key.
 */
export function presentedKey(headers: NodeJS.Dict<string[]>): string | null {
  const bearers = (headers.authorization ?? []).flatMap((value) => {
    const bearer = /^bearer(?: +(.*))?$/i.exec(value);
    return bearer ? [bearer[1] ?? ''] : [];
  });
  const [key, ...others] = [...bearers, ...(headers['x-api-key'] ?? [])];
  return key === undefined || others.some((other) => other !== key) ? null : key;
}
