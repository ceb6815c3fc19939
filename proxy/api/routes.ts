/**
 * The contract's operations as routes: the only way from a request to a file. A state must equal one of the snapshot's
 * own codes and a period must lie within its months, so no file name contains arbitrary text from a request.
 */
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { ERRORS, type ErrorCode } from '../../pipeline/contract/errors.ts';
import { isPeriod } from '../../pipeline/contract/months.ts';
import {
  type Coverage,
  type FileParameters,
  FORECAST_MONTHS,
  filePath,
  OPERATIONS,
  type Operation,
  type ParameterName,
} from '../../pipeline/contract/operations.ts';
import type { SnapshotSource } from '../snapshot/watch.ts';
import { sendFile } from './files.ts';
import { sendProblem } from './problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation requested; undefined if none has that path. */
    operation: Operation | undefined;
  }
}

export interface RoutesOptions {
  snapshots: SnapshotSource;
  report: (line: string) => void;
}

const BY_PATH: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((operation) => [operation.path, operation]));

/** The operation at `url`, as the router sees it; undefined for an unknown path. */
export function operationAt(url: string): Operation | undefined {
  const query = url.indexOf('?');
  return BY_PATH.get(query < 0 ? url : url.slice(0, query));
}

export const routes = fp(async (app: FastifyInstance, { snapshots, report }: RoutesOptions) => {
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, 'NOT_FOUND'));
  // Other methods are refused here: Fastify would first read any body they have.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'GET' || request.method === 'HEAD') done();
    else if (request.operation) sendProblem(reply, 'METHOD_NOT_ALLOWED', { allow: 'GET, HEAD' });
    else sendProblem(reply, 'NOT_FOUND');
  });

  for (const operation of OPERATIONS) {
    const whatScopes = `It needs ${operation.scopes.join(' and ')}. ${ERRORS.SCOPE_REQUIRED.detail}`;
    app.route({
      method: ['GET', 'HEAD'],
      url: operation.path,
      handler: (request, reply) => {
        const { holder } = request.admission!;
        const lacks = operation.scopes.some((scope) => !holder.scopes.includes(scope));
        if (lacks) return sendProblem(reply, 'SCOPE_REQUIRED', {}, { detail: whatScopes });
        const snapshot = snapshots.current();
        const found = locate(operation, request.query as Query, snapshot.coverage);
        if ('error' in found) return sendProblem(reply, found.error, {}, { territory: snapshot.territory });
        // One from before the operation was, or with nothing to tell there, has none.
        const file = snapshot.files.get(found.file);
        return file ? sendFile(reply, file, report) : sendProblem(reply, 'NOT_FOUND');
      },
    });
  }
});

/** Each parameter's decoded value; a list if it was given more than once. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

type Outcome = { file: string } | { error: ErrorCode };

/** The file that answers `operation`, or the first error: parameter by parameter, the 503 last. */
export function locate(operation: Operation, query: Query, coverage: Coverage): Outcome {
  const values: FileParameters = {};
  for (const name of operation.parameters) {
    const reading = READERS[name](query[name], coverage);
    if (typeof reading === 'string') return { error: reading };
    Object.assign(values, reading);
  }
  if (operation.needsTransmission && !coverage.transmission) return { error: 'TRANSMISSION_DATA_UNAVAILABLE' };
  return { file: filePath(operation, values) };
}

const MONTHS = Array.from({ length: FORECAST_MONTHS }, (_, i) => i + 1);

const READERS: Record<ParameterName, (value: Query[string], coverage: Coverage) => FileParameters | ErrorCode> = {
  state: (value, { states }) => {
    const state = states.find((code) => code === value);
    return state === undefined ? 'UNKNOWN_STATE' : { state };
  },
  lga: (value, { lgas = [] }) => {
    const lga = lgas.find((code) => code === value);
    return lga === undefined ? 'UNKNOWN_LGA' : { lga };
  },
  period: (value, { first_estimated, last_estimated, last_forecast }) => {
    if (value === undefined) return { period: last_estimated };
    if (typeof value !== 'string' || !isPeriod(value)) return 'INVALID_PERIOD';
    // Months as YYYY-MM sort as text.
    if (value < first_estimated || value > last_forecast) return 'PERIOD_NOT_AVAILABLE';
    return value > last_estimated ? 'FORECAST_PERIOD' : { period: value };
  },
  months: (value) => {
    if (value === undefined) return { months: FORECAST_MONTHS };
    const months = MONTHS.find((n) => String(n) === value);
    return months === undefined ? 'INVALID_MONTHS' : { months };
  },
};
