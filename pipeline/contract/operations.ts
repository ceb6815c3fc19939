/**
 * The operations as one table: the twelve that the service began with, then further ones. The proxy's routes and
 * checks, the files that the pipeline writes, the schema check before publishing and the OpenAPI document all follow
 * from it.
 */
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import { addMonths, FORECAST_MONTHS, HORIZONS, type Period, periodRange } from './months.ts';
import { coversProduct, PRODUCTS, type Product, type ProductCoverage } from './products.ts';
import * as schemas from './schemas.ts';
import type { Scope } from './scopes.ts';
import {
  SERVED_TABLES,
  TABLE_PRODUCTS,
  TABLE_TYPES,
  type TableFormat,
  type TableName,
  tableFile,
  tableFormats,
} from './table-list.ts';
import type { Territory } from './territory.ts';

/** Examples of codes are the country's (territory.ts). */
export const PARAMETERS = {
  state: { required: true, description: '{state.code_short}', example: '{state}', errors: ['UNKNOWN_STATE'] },
  lga: { required: true, description: 'Code of {a.lga}', example: '{lga}', errors: ['UNKNOWN_LGA'] },
  period: {
    required: false,
    description: 'Month as YYYY-MM, at most the latest estimated month, which is the default',
    example: '2023-09',
    errors: ['INVALID_PERIOD', 'FORECAST_PERIOD', 'PERIOD_NOT_AVAILABLE'],
  },
  months: {
    required: false,
    description: `How many months ahead to return, 1 to ${FORECAST_MONTHS}, which is the default`,
    example: `${FORECAST_MONTHS}`,
    errors: ['INVALID_MONTHS'],
  },
} as const satisfies Record<
  string,
  { required: boolean; description: string; example: string; errors: readonly ErrorCode[] }
>;
export type ParameterName = keyof typeof PARAMETERS;

/** What cannot be derived from an operation's path. */
interface OperationSpec {
  readonly path: `/v1/${string}`;
  readonly summary: string;
  /** Scopes that a key needs, all of them; none if any valid key is accepted. */
  readonly scopes?: readonly Scope[];
  readonly parameters?: readonly ParameterName[];
  readonly response: TSchema;
  /** The product without which there is no answer, which a country may lack. */
  readonly needs?: Product | undefined;
}

export interface Operation extends Pick<OperationSpec, 'summary' | 'needs'> {
  readonly id: string;
  readonly path: string;
  /** Scopes that a key needs, all of them; if empty, any valid key is accepted. */
  readonly scopes: readonly Scope[];
  readonly parameters: readonly ParameterName[];
  readonly responseName: string;
  /** Null if the answer is not JSON; then only its media type is declared. */
  readonly response: TSchema | null;
  /** Media type of the answer. */
  readonly type: string;
  /** Whether a snapshot may lack it, because it is older than the operation or has no data for it. */
  readonly optional: boolean;
  /** Path inside the snapshot; `{state}`, `{lga}`, `{period}` and `{months}` are replaced by validated values. */
  readonly file: string;
}

/** The operations that every snapshot answers. */
const CORE_SPECS = [
  {
    path: '/v1/periods',
    summary: 'Which months are estimated and which forecast, and the model version',
    response: schemas.Periods,
  },
  {
    path: '/v1/risk/states',
    summary: 'Estimated risk of every {state.one} for one month',
    scopes: ['risk_scores'],
    parameters: ['period'],
    response: schemas.RiskStates,
    needs: 'scores',
  },
  {
    path: '/v1/risk/lgas',
    summary: 'Estimated risk of every {lga.one} in one {state.one} for one month',
    scopes: ['risk_scores'],
    parameters: ['state', 'period'],
    response: schemas.RiskLgas,
    needs: 'scores',
  },
  {
    path: '/v1/forecasts/states',
    summary: 'Forecast risk of every {state.one}, one report a month',
    scopes: ['forecasts'],
    parameters: ['months'],
    response: schemas.ForecastsStates,
    needs: 'scores',
  },
  {
    path: '/v1/forecasts/lgas',
    summary: 'Forecast risk of every {lga.one} in one {state.one}, one report a month',
    scopes: ['forecasts'],
    parameters: ['state', 'months'],
    response: schemas.ForecastsLgas,
    needs: 'scores',
  },
  {
    path: '/v1/boundaries/states',
    summary: 'Outlines of all {state.many}, GeoJSON',
    scopes: ['lga_boundaries'],
    response: schemas.BoundariesStates,
  },
  {
    path: '/v1/boundaries/lgas',
    summary: 'Outlines of every {lga.one} in one {state.one}, GeoJSON',
    scopes: ['lga_boundaries'],
    parameters: ['state'],
    response: schemas.BoundariesLgas,
  },
  {
    path: '/v1/context/states',
    summary: 'Population, nets, spraying, treatment and travel to care by {state.one}',
    scopes: ['risk_scores'],
    response: schemas.ContextStates,
  },
  {
    path: '/v1/context/lgas',
    summary: 'Population, nets, spraying, treatment and travel to care by {lga.one} of one {state.one}',
    scopes: ['risk_scores'],
    parameters: ['state'],
    response: schemas.ContextLgas,
  },
  {
    path: '/v1/transmission/states',
    summary: 'Season and survey trend of the country and every {state.one}',
    scopes: ['risk_scores'],
    response: schemas.TransmissionStates,
    needs: 'season',
  },
  {
    path: '/v1/transmission/lgas',
    summary: 'Season of every {lga.one} in one {state.one}',
    scopes: ['risk_scores'],
    parameters: ['state'],
    response: schemas.TransmissionLgas,
    needs: 'season',
  },
  {
    path: '/v1/transmission/model',
    summary: 'Compartmental model fitted to the {state.many} with monthly case records (research)',
    scopes: ['risk_scores'],
    response: schemas.TransmissionModel,
    needs: 'transmission',
  },
] as const satisfies readonly OperationSpec[];

/** Operations that were added later, or that a country may lack the data for. */
const OPTIONAL_SPECS = [
  {
    path: '/v1/seasons/lgas',
    summary:
      'The consecutive months with the largest share of a year, for seasonal action, in one {state.one} and its {lga.many}',
    scopes: ['risk_scores'],
    parameters: ['state'],
    response: schemas.SeasonsLgas,
    needs: 'windows',
  },
  {
    path: '/v1/forecasts/skill',
    summary: 'How good forecasts of reported cases were, by horizon, compared with simple methods',
    scopes: ['forecasts'],
    response: schemas.ForecastsSkill,
  },
  {
    path: '/v1/alerts',
    summary:
      'Whether the last month of case records is unusual, and whether the next is likely to be, in one {state.one} and its {lga.many}. Alerts rest on case records and scores on surveys, so an alert moves no score',
    scopes: ['forecasts'],
    parameters: ['state'],
    response: schemas.Alerts,
    needs: 'cases',
  },
  {
    path: '/v1/risk/nation',
    summary: 'Estimated risk of every {lga.one} of the nation for one month',
    scopes: ['risk_scores'],
    parameters: ['period'],
    response: schemas.RiskNation,
    needs: 'scores',
  },
  {
    path: '/v1/forecasts/nation',
    summary: 'Forecast risk of every {lga.one} of the nation, one report a month',
    scopes: ['forecasts'],
    parameters: ['months'],
    response: schemas.ForecastsNation,
    needs: 'scores',
  },
  {
    path: '/v1/series/states',
    summary: 'Risk of one {state.one} in every month, estimated and forecast',
    scopes: ['risk_scores', 'forecasts'],
    parameters: ['state'],
    response: schemas.SeriesStates,
    needs: 'scores',
  },
  {
    path: '/v1/series/lgas',
    summary: 'Risk of one {lga.one} in every month, estimated and forecast',
    scopes: ['risk_scores', 'forecasts'],
    parameters: ['lga'],
    response: schemas.SeriesLgas,
    needs: 'scores',
  },
  {
    path: '/v1/boundaries/nation',
    summary: 'Outlines of every {lga.one} of the nation, GeoJSON',
    scopes: ['lga_boundaries'],
    response: schemas.BoundariesNation,
  },
  {
    path: '/v1/boundaries/topology',
    summary: 'Outlines of every {state.one} and {lga.one}, TopoJSON: a border that two areas share occurs once',
    scopes: ['lga_boundaries'],
    response: schemas.BoundariesTopology,
  },
  {
    path: '/v1/places',
    summary: 'Every {state.one} and {lga.one}: names, codes, neighbours and centres',
    response: schemas.Places,
  },
  {
    path: '/v1/openapi.json',
    summary: 'This description of the API, OpenAPI 3.1',
    response: schemas.OpenApi,
  },
  {
    path: '/v1/model-card',
    summary: 'What the scores are made from, how they were checked, and their limits',
    response: schemas.ModelCard,
  },
  {
    path: '/v1/licences',
    summary: 'Whose data the answers are made from, under which licences, and how to cite them',
    response: schemas.Licences,
  },
  {
    path: '/v1/tables',
    summary: 'The tables that can be downloaded, and what their columns mean',
    response: schemas.Tables,
  },
] as const satisfies readonly OperationSpec[];

const JSON_MEDIA_TYPE = 'application/json';
const GEOJSON_MEDIA_TYPE = 'application/geo+json';
const ARCHIVE_MEDIA_TYPE = 'application/gzip';

/** `risk-lgas` of `/v1/risk/lgas`. */
type PathId<Path> = Path extends `/v1/${infer Name}` ? Dashed<Name extends `${infer Stem}.json` ? Stem : Name> : never;
type Dashed<Name> = Name extends `${infer First}/${infer Rest}` ? `${First}-${Dashed<Rest>}` : Name;

/** Names of the parameters in the path of a file, from the outer folder to the inner one. */
const FOLDER_PARAMETERS = ['period', 'months', 'state', 'lga'] as const satisfies readonly ParameterName[];

const RESPONSE_NAMES = new Map<unknown, string>(Object.entries(schemas).map(([name, schema]) => [schema, name]));

/**
 * What a response is called, which is as schemas.ts exports it.
 * @throws Error if schemas.ts does not export it
 */
export function responseName({ path, response }: Pick<OperationSpec, 'path' | 'response'>): string {
  const name = RESPONSE_NAMES.get(response);
  if (name === undefined) throw new Error(`${path}: found a response without a name, expected an export of schemas.ts`);
  return name;
}

const isFeatureCollection = (response: { properties?: { type?: { const?: unknown } } }) =>
  response.properties?.type?.const === 'FeatureCollection';

function completeSpec<const Spec extends OperationSpec>(spec: Spec, optional: boolean) {
  const { path, scopes = [], parameters = [], response } = spec;
  const stem = path.replace('.json', '');
  const folders = FOLDER_PARAMETERS.filter((name) => parameters.includes(name)).map((name) => `/{${name}}`);
  return {
    ...spec,
    scopes,
    parameters,
    id: stem
      .replace('/v1/', '')
      .replaceAll(/\/\{\w+\}/g, '')
      .replaceAll('/', '-') as PathId<Spec['path']>,
    responseName: responseName(spec),
    type: isFeatureCollection(response) ? GEOJSON_MEDIA_TYPE : JSON_MEDIA_TYPE,
    optional,
    file: `${stem.slice(1)}${folders.join('')}.json`,
  };
}

type JsonSpec = (typeof CORE_SPECS)[number] | (typeof OPTIONAL_SPECS)[number];
export type JsonOperationId = PathId<JsonSpec['path']>;
/** The answer to each operation, by its id. */
export type Answers = { [One in JsonSpec as PathId<One['path']>]: Static<One['response']> };

export const JSON_OPERATIONS: readonly (Operation & { id: JsonOperationId; response: TSchema })[] = [
  ...CORE_SPECS.map((spec) => completeSpec(spec, false)),
  ...OPTIONAL_SPECS.map((spec) => completeSpec(spec, true)),
];

/** A file that is served as it is. */
const fileOperation = <Id extends string>(
  file: { id: Id } & Pick<Operation, 'path' | 'summary' | 'scopes' | 'type' | 'file' | 'needs'>,
) => ({
  ...file,
  parameters: [],
  responseName: 'File',
  response: null,
  optional: true,
});

/** Downloads of complete tables: an operation for each table and format. */
const TABLE_OPERATIONS = SERVED_TABLES.flatMap(({ table, scopes }) =>
  tableFormats(table).map((format) =>
    fileOperation({
      id: `table-${table}-${format}` as const,
      path: `/v1/${tableFile(table, format)}`,
      summary: `The whole table ${table} as ${format === 'csv' ? 'CSV' : 'Parquet'}`,
      scopes,
      type: TABLE_TYPES[format],
      needs: TABLE_PRODUCTS[table],
      file: tableFile(table, format),
    }),
  ),
);

type TableOperationId = `table-${TableName}-${TableFormat}`;

/** Languages that have a client, as its folder is called. */
export const CLIENTS = ['python', 'r', 'ts'] as const;
export const clientFile = (language: (typeof CLIENTS)[number]) => `client/${language}.tgz` as const;
export const clientPath = (language: (typeof CLIENTS)[number]) => `/v1/clients/${language}.tgz` as const;

const CLIENT_OPERATIONS = CLIENTS.map((language) =>
  fileOperation({
    id: `client-${language}` as const,
    path: clientPath(language),
    summary: `The client for ${{ python: 'Python', r: 'R', ts: 'TypeScript' }[language]}, with examples`,
    scopes: [],
    type: ARCHIVE_MEDIA_TYPE,
    file: clientFile(language),
  }),
);

export type OperationId = JsonOperationId | TableOperationId | (typeof CLIENT_OPERATIONS)[number]['id'];
export const OPERATIONS: readonly (Operation & { id: OperationId })[] = [
  ...JSON_OPERATIONS,
  ...TABLE_OPERATIONS,
  ...CLIENT_OPERATIONS,
];

/** The versions as `publish` records them: answered from its files (published.ts), not from a snapshot's. */
export const RELEASE_OPERATIONS = [
  completeSpec(
    {
      path: '/v1/versions',
      summary: 'Model versions: which is current, which earlier ones are kept, what changed when and why',
      response: schemas.Versions,
    },
    true,
  ),
  completeSpec(
    {
      path: '/v1/versions/{version}/diff/{other}',
      summary: 'How the scores of a version differ from those of the one that it replaced',
      scopes: ['risk_scores', 'forecasts'],
      response: schemas.VersionsDiff,
    },
    true,
  ),
] as const;

/** All operations of the API. */
export const ALL_OPERATIONS: readonly Operation[] = [...OPERATIONS, ...RELEASE_OPERATIONS];

/** The placeholders for versions in a path, such as `{version}`. */
export const pathParameters = ({ path }: Operation) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** Address of an operation's answers in one version, where the bytes never change. */
export const underVersion = (version: string, path: string) => path.replace('/v1/', `/v1/versions/${version}/`);

/**
 * The `Link` header of every answer, for programs (RFC 8288; service-desc is from RFC 8631, version-history from RFC
 * 5829).
 */
export const LINKS =
  '</v1/licences>; rel="license", </v1/openapi.json>; rel="service-desc", </v1/model-card>; rel="describedby", </v1/versions>; rel="version-history"';

/** Validated values of an operation's parameters, never text from a request. */
export interface FileParameters {
  state?: string | undefined;
  lga?: string | undefined;
  period?: Period | undefined;
  months?: number | undefined;
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

/**
 * Values for examples: the country's and those of `PARAMETERS` if the snapshot covers them, otherwise its first places
 * and latest month.
 */
export function exampleValues(
  { states, lgas = [], first_estimated, last_estimated }: Coverage,
  { state, lga }: Territory,
): FileParameters {
  const { period, months } = PARAMETERS;
  return {
    state: states.includes(state.example) ? state.example : states[0],
    lga: lgas.includes(lga.example) ? lga.example : lgas[0],
    period: first_estimated <= period.example && period.example <= last_estimated ? period.example : last_estimated,
    months: Number(months.example),
  };
}

/** Whether `operation`'s file has a compressed copy in every encoding: Parquet and archives are compressed already. */
export const isEncoded = ({ type }: Operation) => type !== TABLE_TYPES.parquet && type !== ARCHIVE_MEDIA_TYPE;

/** Errors of one operation, in addition to those that any request can meet. */
export function operationErrors(operation: Operation): ErrorCode[] {
  return [
    ...(operation.scopes.length > 0 ? (['SCOPE_REQUIRED'] as const) : []),
    ...operation.parameters.flatMap((name) => [...PARAMETERS[name].errors]),
    ...(pathParameters(operation).length > 0 ? (['UNKNOWN_VERSION'] as const) : []),
    ...(operation.optional && pathParameters(operation).length === 0 ? (['NOT_FOUND'] as const) : []),
    ...(operation.response === null ? (['RANGE_NOT_SATISFIABLE'] as const) : []),
    ...(operation.needs ? [PRODUCTS[operation.needs].error].filter((error) => error !== null) : []),
  ];
}

/** What a snapshot covers, as in its manifest: all that is needed to decide the outcome of a request. */
export interface Coverage extends ProductCoverage {
  /** Codes of the states, ascending. */
  states: readonly string[];
  /** Codes of the LGAs, ascending. */
  lgas: readonly string[];
  first_estimated: Period;
  last_estimated: Period;
  last_forecast: Period;
}

/**
 * Every file that answers `operation` in a snapshot, in a fixed order.
 * @param existingFiles the files of an existing snapshot, which may lack all files of an optional operation
 */
export function operationFiles(operation: Operation, coverage: Coverage, existingFiles?: object): string[] {
  if (!coversProduct(coverage, operation.needs)) return [];
  const files = possibleFiles(operation, coverage);
  return operation.optional && existingFiles && !files.some((file) => file in existingFiles) ? [] : files;
}

function possibleFiles(operation: Operation, coverage: Coverage): string[] {
  const valuesOf = <T>(name: ParameterName, values: readonly T[]): readonly (T | undefined)[] =>
    operation.parameters.includes(name) ? values : [undefined];
  return valuesOf('period', periodRange(coverage.first_estimated, coverage.last_estimated)).flatMap((period) =>
    valuesOf('months', HORIZONS).flatMap((months) =>
      valuesOf('state', coverage.states).flatMap((state) =>
        valuesOf('lga', coverage.lgas).map((lga) => filePath(operation, { state, lga, period, months })),
      ),
    ),
  );
}

/** The forecast months of a coverage, nearest first. */
export function forecastPeriods(coverage: Pick<Coverage, 'last_estimated'>): Period[] {
  return HORIZONS.map((ahead) => addMonths(coverage.last_estimated, ahead));
}
