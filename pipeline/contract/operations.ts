/**
 * The operations as one table: the twelve of SPEC.md, then further ones. The proxy's routes and checks, the files that the pipeline writes, the schema
 * check before publishing and the OpenAPI document all follow from it.
 */
import type { TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import { addMonths, type Period, periodRange } from './months.ts';
import * as schemas from './schemas.ts';

export const SCOPES = {
  risk_scores: 'Estimated risk, context, season and transmission',
  forecasts: 'Forecast risk, one to four months ahead',
  lga_boundaries: 'Outlines of states and LGAs',
} as const;
export type Scope = keyof typeof SCOPES;

/** Forecasts reach this many months past the latest estimated month. */
export const FORECAST_MONTHS = 4;

export const PARAMETERS = {
  state: { required: true, description: 'Two-letter state code', example: 'KN', errors: ['UNKNOWN_STATE'] },
  period: {
    required: false,
    description: 'Month as YYYY-MM, at most the latest estimated month, which is the default',
    example: '2023-09',
    errors: ['INVALID_PERIOD', 'FORECAST_PERIOD', 'PERIOD_NOT_AVAILABLE'],
  },
  months: {
    required: false,
    description: `How many months ahead to return, 1 to ${FORECAST_MONTHS}, which is the default`,
    example: '4',
    errors: ['INVALID_MONTHS'],
  },
} as const satisfies Record<
  string,
  { required: boolean; description: string; example: string; errors: readonly ErrorCode[] }
>;
export type ParameterName = keyof typeof PARAMETERS;

export interface Operation {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  /** The scope a key needs; null: any valid key. */
  readonly scope: Scope | null;
  readonly parameters: readonly ParameterName[];
  /** Whether the answer needs case records, without which the operation answers 503. */
  readonly needsTransmission: boolean;
  readonly responseName: string;
  readonly response: TSchema;
  /** Whether snapshots from before the contract's 1.1 lack it: they are still served and verified, without it. */
  readonly later?: boolean;
  /** Path inside the snapshot, `{state}`, `{period}` and `{months}` standing for validated values. */
  readonly file: string;
}

export const OPERATIONS = [
  {
    id: 'periods',
    path: '/v1/periods',
    summary: 'Which months are estimated and which forecast, and the model version',
    scope: null,
    parameters: [],
    needsTransmission: false,
    responseName: 'Periods',
    response: schemas.Periods,
    file: 'v1/periods.json',
  },
  {
    id: 'risk-states',
    path: '/v1/risk/states',
    summary: 'Estimated risk of every state for one month',
    scope: 'risk_scores',
    parameters: ['period'],
    needsTransmission: false,
    responseName: 'RiskStates',
    response: schemas.RiskStates,
    file: 'v1/risk/states/{period}.json',
  },
  {
    id: 'risk-lgas',
    path: '/v1/risk/lgas',
    summary: 'Estimated risk of every LGA in one state for one month',
    scope: 'risk_scores',
    parameters: ['state', 'period'],
    needsTransmission: false,
    responseName: 'RiskLgas',
    response: schemas.RiskLgas,
    file: 'v1/risk/lgas/{period}/{state}.json',
  },
  {
    id: 'forecasts-states',
    path: '/v1/forecasts/states',
    summary: 'Forecast risk of every state, one report a month',
    scope: 'forecasts',
    parameters: ['months'],
    needsTransmission: false,
    responseName: 'ForecastsStates',
    response: schemas.ForecastsStates,
    file: 'v1/forecasts/states/{months}.json',
  },
  {
    id: 'forecasts-lgas',
    path: '/v1/forecasts/lgas',
    summary: 'Forecast risk of every LGA in one state, one report a month',
    scope: 'forecasts',
    parameters: ['state', 'months'],
    needsTransmission: false,
    responseName: 'ForecastsLgas',
    response: schemas.ForecastsLgas,
    file: 'v1/forecasts/lgas/{months}/{state}.json',
  },
  {
    id: 'boundaries-states',
    path: '/v1/boundaries/states',
    summary: 'Outlines of all states, GeoJSON',
    scope: 'lga_boundaries',
    parameters: [],
    needsTransmission: false,
    responseName: 'BoundariesStates',
    response: schemas.BoundariesStates,
    file: 'v1/boundaries/states.json',
  },
  {
    id: 'boundaries-lgas',
    path: '/v1/boundaries/lgas',
    summary: 'Outlines of every LGA in one state, GeoJSON',
    scope: 'lga_boundaries',
    parameters: ['state'],
    needsTransmission: false,
    responseName: 'BoundariesLgas',
    response: schemas.BoundariesLgas,
    file: 'v1/boundaries/lgas/{state}.json',
  },
  {
    id: 'context-states',
    path: '/v1/context/states',
    summary: 'Population, nets, spraying, treatment and travel to care by state',
    scope: 'risk_scores',
    parameters: [],
    needsTransmission: false,
    responseName: 'ContextStates',
    response: schemas.ContextStates,
    file: 'v1/context/states.json',
  },
  {
    id: 'context-lgas',
    path: '/v1/context/lgas',
    summary: 'Population, nets, spraying, treatment and travel to care by LGA of one state',
    scope: 'risk_scores',
    parameters: ['state'],
    needsTransmission: false,
    responseName: 'ContextLgas',
    response: schemas.ContextLgas,
    file: 'v1/context/lgas/{state}.json',
  },
  {
    id: 'transmission-states',
    path: '/v1/transmission/states',
    summary: 'Season and survey trend of the country and every state',
    scope: 'risk_scores',
    parameters: [],
    needsTransmission: true,
    responseName: 'TransmissionStates',
    response: schemas.TransmissionStates,
    file: 'v1/transmission/states.json',
  },
  {
    id: 'transmission-lgas',
    path: '/v1/transmission/lgas',
    summary: 'Season of every LGA in one state',
    scope: 'risk_scores',
    parameters: ['state'],
    needsTransmission: true,
    responseName: 'TransmissionLgas',
    response: schemas.TransmissionLgas,
    file: 'v1/transmission/lgas/{state}.json',
  },
  {
    id: 'transmission-model',
    path: '/v1/transmission/model',
    summary: 'Compartmental model fitted to the states with monthly case records (research)',
    scope: 'risk_scores',
    parameters: [],
    needsTransmission: true,
    responseName: 'TransmissionModel',
    response: schemas.TransmissionModel,
    file: 'v1/transmission/model.json',
  },
  {
    id: 'seasons-lgas',
    path: '/v1/seasons/lgas',
    summary: 'Months on end that hold most of a year, for seasonal action, in one state and its LGAs',
    scope: 'risk_scores',
    parameters: ['state'],
    needsTransmission: false,
    responseName: 'SeasonsLgas',
    response: schemas.SeasonsLgas,
    later: true,
    file: 'v1/seasons/lgas/{state}.json',
  },
  {
    id: 'forecasts-skill',
    path: '/v1/forecasts/skill',
    summary: 'How good forecasts of reported cases were, by horizon, beside simple methods',
    scope: 'forecasts',
    parameters: [],
    needsTransmission: false,
    responseName: 'ForecastsSkill',
    response: schemas.ForecastsSkill,
    later: true,
    file: 'v1/forecasts/skill.json',
  },
] as const satisfies readonly Operation[];
export type OperationId = (typeof OPERATIONS)[number]['id'];

/** Values of an operation's parameters once validated: never text of a request. */
export interface FileParameters {
  state?: string;
  period?: Period;
  months?: number;
}

/** Path inside the snapshot of the file that answers `operation` for validated `values`. */
export function filePath(operation: Operation, values: FileParameters): string {
  let file = operation.file;
  for (const name of operation.parameters) {
    const value = values[name];
    if (value === undefined) throw new Error(`${operation.id} needs ${name}`);
    file = file.replace(`{${name}}`, String(value));
  }
  return file;
}

/** Errors of one operation's own, past those that any request can meet. */
export function operationErrors(operation: Operation): ErrorCode[] {
  return [
    ...(operation.scope ? (['SCOPE_REQUIRED'] as const) : []),
    ...operation.parameters.flatMap((name) => [...PARAMETERS[name].errors]),
    ...(operation.needsTransmission ? (['TRANSMISSION_DATA_UNAVAILABLE'] as const) : []),
  ];
}

/** What a snapshot covers; kept in its manifest, and all that is needed to decide the outcome of a request. */
export interface Coverage {
  /** Codes of the states, ascending. */
  states: readonly string[];
  first_estimated: Period;
  last_estimated: Period;
  last_forecast: Period;
  transmission: boolean;
}

/**
 * Every file that answers `operation` over a whole snapshot, in a fixed order.
 * @param listed the files of a snapshot that is there: where it has none of a later operation's, it is of before that
 */
export function operationFiles(operation: Operation, coverage: Coverage, listed?: object): string[] {
  if (operation.needsTransmission && !coverage.transmission) return [];
  const files = filesOver(operation, coverage);
  return operation.later && listed && !files.some((file) => file in listed) ? [] : files;
}

function filesOver(operation: Operation, coverage: Coverage): string[] {
  const has = (name: ParameterName) => (operation.parameters as readonly string[]).includes(name);
  const states = has('state') ? coverage.states : [''];
  const periods = has('period') ? periodRange(coverage.first_estimated, coverage.last_estimated) : [''];
  const months = has('months') ? Array.from({ length: FORECAST_MONTHS }, (_, i) => i + 1) : [0];
  return periods.flatMap((period) =>
    months.flatMap((n) => states.map((state) => filePath(operation, { state, period, months: n }))),
  );
}

/** The forecast months of a coverage, nearest first. */
export function forecastPeriods(coverage: Pick<Coverage, 'last_estimated'>): Period[] {
  return Array.from({ length: FORECAST_MONTHS }, (_, i) => addMonths(coverage.last_estimated, i + 1));
}
