/**
 * The contract's operations as routes: the only way from a request to a file. A state must equal one of the snapshot's
 * codes and a period must be one of its months, so no file name contains arbitrary text from a request.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ERRORS, type ErrorCode, NO_ESTIMATE } from '../../pipeline/contract/errors.ts';
import { FORECAST_MONTHS, HORIZONS, isPeriod } from '../../pipeline/contract/months.ts';
import { isNearMiss } from '../../pipeline/contract/near-misses.ts';
import {
  type Coverage,
  type FileParameters,
  filePath,
  OPERATIONS,
  type Operation,
  PARAMETERS,
  type ParameterName,
  RELEASE_OPERATIONS,
  underVersion,
} from '../../pipeline/contract/operations.ts';
import { coversProduct, PRODUCTS } from '../../pipeline/contract/products.ts';
import { tableFile } from '../../pipeline/contract/table-list.ts';
import type { ServedFile, Snapshot } from '../snapshot/snapshot.ts';
import type { ServedSnapshot, SnapshotSource } from '../snapshot/watch.ts';
import { placeDetail } from './place-hint.ts';
import { sendProblem } from './problems.ts';
import { sendFile } from './send-file.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of a route; undefined for paths of none. */
    operation?: Operation;
  }
}

export interface RoutesOptions {
  snapshots: SnapshotSource;
  /** Called with a line for each answer that a damaged file prevents. */
  report: (line: string, cause: 'snapshot') => void;
}

/** Every route: the path of each operation, and its path under a version. */
const ROUTES: readonly (readonly [path: string, Operation])[] = [
  ...OPERATIONS.flatMap((operation) => [
    [operation.path, operation] as const,
    [underVersion(':version', operation.path), operation] as const,
  ]),
  ...RELEASE_OPERATIONS.map((operation) => [operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), operation] as const),
];
const RELEASE_OPERATION_SET: ReadonlySet<Operation> = new Set(RELEASE_OPERATIONS);

export const routesPlugin = fp(async (app: FastifyInstance, { snapshots, report }: RoutesOptions) => {
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, 'NOT_FOUND'));
  // Other methods are refused on every path, and here: Fastify would first read any body they have.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'GET' || request.method === 'HEAD') done();
    else sendProblem(reply, 'METHOD_NOT_ALLOWED', { allow: 'GET, HEAD' });
  });

  for (const [url, operation] of ROUTES) {
    const scopesNeeded = `It needs ${operation.scopes.join(' and ')}. ${ERRORS.SCOPE_REQUIRED.detail}`;
    app.route({
      method: ['GET', 'HEAD'],
      url,
      config: { operation },
      handler: (request, reply) => {
        const { holder } = request.admission!;
        const lacksScope = operation.scopes.some((scope) => !holder.scopes.includes(scope));
        if (lacksScope) return sendProblem(reply, 'SCOPE_REQUIRED', {}, { detail: scopesNeeded });
        const current = snapshots.current();
        const answer = findAnswer(operation, request, current);
        return isFailure(answer) ? sendFailure(reply, answer, current) : sendFile(reply, answer, report);
      },
    });
  }
});

async function sendFailure(reply: FastifyReply, { error, detail }: Failure, current: ServedSnapshot) {
  const { state, lga } = reply.request.query as Query;
  const { territory } = current;
  const hint =
    error === 'UNKNOWN_STATE'
      ? await placeDetail(current, 'state', state)
      : error === 'UNKNOWN_LGA'
        ? await placeDetail(current, 'lga', lga)
        : undefined;
  return sendProblem(reply, error, {}, { detail: hint ?? detail, territory });
}

/** The file that answers a request for `operation`, or the first error. */
function findAnswer(operation: Operation, request: FastifyRequest, current: ServedSnapshot): ServedFile | Failure {
  const { releases, model_version } = current;
  const { version = model_version, other: otherVersion } = request.params as { version?: string; other?: string };
  if (RELEASE_OPERATION_SET.has(operation)) {
    const error = otherVersion === undefined ? 'NOT_FOUND' : 'UNKNOWN_VERSION';
    return releases.answers.get(request.url.split('?')[0]!) ?? { error };
  }
  const snapshot = version === model_version ? current : releases.versions.get(version);
  if (!snapshot) return { error: 'UNKNOWN_VERSION' };
  const resolution = resolveFile(operation, request.query as Query, snapshot.coverage);
  if (isFailure(resolution)) return resolution;
  // A snapshot older than the operation, or without data for it, has no such file.
  return snapshot.files.get(resolution.file) ?? { error: 'NOT_FOUND', detail: whyMissing(operation, snapshot) };
}

/** Why a snapshot lacks an operation's file, if that is known: versions older than the tables may have had a season. */
function whyMissing({ needs }: Operation, { files, coverage }: Pick<Snapshot, 'files' | 'coverage'>) {
  const hasWindows = coverage.transmission || files.has(tableFile('season_windows', 'parquet'));
  return needs === 'windows' && !hasWindows ? NO_ESTIMATE : undefined;
}

/** Each parameter's decoded value; a list if it was given more than once. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Why there is no answer; `detail` replaces the usual one of the error. */
interface Failure {
  error: ErrorCode;
  detail?: string | undefined;
}
type Resolution = { file: string } | Failure;

const isFailure = (outcome: object): outcome is Failure => 'error' in outcome;

/** The file that answers `operation`, or the first error: of the parameters in their order, then of missing data. */
export function resolveFile(operation: Operation, query: Query, coverage: Coverage): Resolution {
  const values: FileParameters = {};
  for (const name of operation.parameters) {
    if (query[name] === undefined && hasNearMiss(query, name, operation)) {
      const [error] = PARAMETERS[name].errors;
      return { error, detail: `The parameter is called \`${name}\`. ${ERRORS[error].detail}` };
    }
    const parsed = PARAMETER_PARSERS[name](query[name], coverage);
    if (typeof parsed === 'string') return { error: parsed };
    Object.assign(values, parsed);
  }
  const { needs } = operation;
  const error = needs && !coversProduct(coverage, needs) ? PRODUCTS[needs].error : null;
  return error ? { error } : { file: filePath(operation, values) };
}

/** Whether a name in `query` that `operation` does not know is nearly `parameter`. */
const hasNearMiss = (query: Query, parameter: ParameterName, { parameters }: Operation) =>
  Object.keys(query).some((name) => !parameters.some((other) => other === name) && isNearMiss(name, parameter));

const PARAMETER_PARSERS: Record<
  ParameterName,
  (value: Query[string], coverage: Coverage) => FileParameters | ErrorCode
> = {
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
    const months = HORIZONS.find((count) => String(count) === value);
    return months === undefined ? 'INVALID_MONTHS' : { months };
  },
};
