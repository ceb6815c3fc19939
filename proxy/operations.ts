/**
 * Request to outcome: which file of the snapshot answers, or which error. Pure, and the only way from a request to a
 * file: a state is found by equality among the snapshot's own codes and a period by membership in its months, so the
 * name of the file is made of the contract's text and never of the request's.
 */
import type { ErrorCode } from '../pipeline/contract/errors.ts';
import { isPeriod, monthIndex } from '../pipeline/contract/months.ts';
import {
  type Coverage,
  type FileParameters,
  FORECAST_MONTHS,
  filePath,
  OPERATIONS,
  type Operation,
  type ParameterName,
  type Scope,
} from '../pipeline/contract/operations.ts';
import { readParameter, splitTarget } from './query.ts';

/** What of a request, its key and limits already settled, decides its outcome. `target` is the raw request target. */
export interface Ask {
  method: string;
  target: string;
  scopes: readonly Scope[];
}

export type Outcome =
  | { operation: Operation; file: string; error?: undefined }
  | { operation: Operation | null; error: ErrorCode; file?: undefined };

const BY_PATH: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((operation) => [operation.path, operation]));

type Reading = FileParameters | ErrorCode;

/** How each parameter is read: undefined is absent, null repeated or not decodable. */
const READERS: Record<ParameterName, (text: string | undefined | null, coverage: Coverage) => Reading> = {
  state: (text, coverage) => {
    const state = coverage.states.find((code) => code === text);
    return state === undefined ? 'UNKNOWN_STATE' : { state };
  },
  period: (text, coverage) => {
    if (text === undefined) return { period: coverage.last_estimated };
    if (text === null || !isPeriod(text)) return 'INVALID_PERIOD';
    const index = monthIndex(text);
    if (index < monthIndex(coverage.first_estimated)) return 'PERIOD_NOT_AVAILABLE';
    if (index <= monthIndex(coverage.last_estimated)) return { period: text };
    return index <= monthIndex(coverage.last_forecast) ? 'FORECAST_PERIOD' : 'PERIOD_NOT_AVAILABLE';
  },
  months: (text) => {
    if (text === undefined) return { months: FORECAST_MONTHS };
    const months = Array.from({ length: FORECAST_MONTHS }, (_, i) => i + 1).find((n) => String(n) === text);
    return months === undefined ? 'INVALID_MONTHS' : { months };
  },
};

/** What a target asks for, whoever asks and by whatever method. */
export type Place =
  | { operation: Operation; file: string; error?: undefined }
  | { operation: Operation; error: ErrorCode };

/** The place of `target` in a snapshot that covers `coverage`; null: an unknown path. Errors parameter by parameter, the 503 last. */
export function locate(target: string, coverage: Coverage): Place | null {
  const { path, query } = splitTarget(target);
  const operation = BY_PATH.get(path);
  if (!operation) return null;
  const values: FileParameters = {};
  for (const name of operation.parameters) {
    const reading = READERS[name](readParameter(query, name), coverage);
    if (typeof reading === 'string') return { operation, error: reading };
    Object.assign(values, reading);
  }
  if (operation.needsTransmission && !coverage.transmission) {
    return { operation, error: 'TRANSMISSION_DATA_UNAVAILABLE' };
  }
  return { operation, file: filePath(operation, values) };
}

/** Whether `method` and `scopes` may have `place`. In DESIGN's order: 404 for an unknown path, 405, 403, the rest. */
export function judge(place: Place | null, method: string, scopes: readonly Scope[]): Outcome {
  if (!place) return { operation: null, error: 'NOT_FOUND' };
  const { operation } = place;
  if (method !== 'GET' && method !== 'HEAD') return { operation, error: 'METHOD_NOT_ALLOWED' };
  if (operation.scope && !scopes.includes(operation.scope)) return { operation, error: 'SCOPE_REQUIRED' };
  return place;
}

/** The outcome of `ask` against a snapshot that covers `coverage`. */
export function decide({ method, target, scopes }: Ask, coverage: Coverage): Outcome {
  return judge(locate(target, coverage), method, scopes);
}
