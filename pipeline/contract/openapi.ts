/** The OpenAPI 3.1 document of the service, generated from the contract; nothing here is specific to one operation. */
import type { TSchema } from 'typebox';
import { COMMON_ERRORS, ERRORS, type ErrorCode, Problem } from './errors.ts';
import { jsonInCountry } from './in-country.ts';
import { LEVELS } from './levels.ts';
import { LIMITS_TEXT } from './limits.ts';
import { FORECAST_MONTHS, PERIOD_PATTERN } from './months.ts';
import {
  ALL_OPERATIONS,
  type FileParameters,
  LINKS,
  type Operation,
  operationErrors,
  PARAMETERS,
  type ParameterName,
  pathParameters,
  RELEASE_OPERATIONS,
} from './operations.ts';
import { VERSION_PATTERN } from './published.ts';
import type { OpenapiDocument } from './reference.ts';
import * as schemas from './schemas.ts';
import { SCOPES, type Scope } from './scopes.ts';
import type { Territory } from './territory.ts';
import { CONTRACT_VERSION } from './version.ts';
import { countryWords, fillPlaceholders } from './words.ts';

type Json = Record<string, unknown>;

const reference = (kind: 'schemas' | 'headers' | 'parameters' | 'responses', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

const headerObject = (description: string, type: 'string' | 'integer', example: string | number) => ({
  description,
  schema: { type },
  example,
});

const HEADERS = {
  'X-Request-Id': headerObject('Quote this when asking for help', 'string', '6f1d2c9e-0a44-4a07-9a53-3d5a1d0c5b7e'),
  RateLimit: headerObject(
    'What is left of each limit (r), and the seconds until it is renewed (t); IETF draft',
    'string',
    '"minute";r=59;t=60, "month";r=9999;t=86400',
  ),
  'RateLimit-Policy': headerObject(
    'The limits (q) and their windows in seconds (w); IETF draft',
    'string',
    '"minute";q=60;w=60, "month";q=10000;w=2592000',
  ),
  'Retry-After': headerObject('Seconds until the limit that was reached allows requests again', 'integer', 12),
  'WWW-Authenticate': headerObject('The scheme for sending the key', 'string', 'Bearer'),
  ETag: headerObject('Strong validator of exactly these bytes', 'string', '"0123456789abcdef0123456789abcdef"'),
  'Model-Version': headerObject('The snapshot that the answer is from', 'string', 'country-2023-0123abcd'),
  'Cache-Control': headerObject(
    'Answers may be cached privately and must be revalidated',
    'string',
    'private, no-cache',
  ),
  'Content-Range': headerObject('The range of these bytes, and the total size', 'string', 'bytes 0-1023/596412'),
  Link: headerObject('Whether it may be published, this description, model card, and versions', 'string', LINKS),
  Deprecation: headerObject(
    'When another version replaced this one, in seconds since 1970 (RFC 9745)',
    'string',
    '@1767225600',
  ),
  Sunset: headerObject(
    'Time until which the version is kept, if that was promised (RFC 8594)',
    'string',
    'Thu, 31 Dec 2026 00:00:00 GMT',
  ),
  Vary: headerObject('Request headers on which the choice of the answer depends', 'string', 'Accept-Encoding'),
};
type HeaderName = keyof typeof HEADERS;

const headerReferences = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, reference('headers', name)] as const));
const ANSWER_HEADERS = [
  'ETag',
  'Vary',
  'Cache-Control',
  'Model-Version',
  'Deprecation',
  'Sunset',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
] as const;
/** Answers about versions do not belong to a version themselves. */
const answerHeaders = (operation: Operation) => {
  const isAboutVersions = RELEASE_OPERATIONS.some(({ id }) => id === operation.id);
  return ANSWER_HEADERS.filter(
    (name) => !isAboutVersions || !['Model-Version', 'Deprecation', 'Sunset'].includes(name),
  );
};
const LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy', 'X-Request-Id'] as const;

/** Statuses with the same meaning for every operation. */
const COMMON_STATUSES: readonly number[] = [...new Set(COMMON_ERRORS.map((code) => ERRORS[code].status))];

const TAGS = {
  risk: 'Estimated risk',
  forecasts: 'Forecast risk, and how good forecasts were',
  series: 'Every month of one place',
  seasons: 'When to act',
  context: 'People, nets, treatment and travel to care',
  transmission: 'Season, survey rounds and the transmission model',
  boundaries: 'Outlines',
  tables: 'Everything at once, as files',
  versions: 'Model versions, and what changed between them',
  clients: 'Packages for Python, R and TypeScript',
  about: 'Months, places, licences, the model, this description',
} as const;

const operationTag = ({ path }: Operation) => Object.keys(TAGS).find((tag) => path.startsWith(`/v1/${tag}`)) ?? 'about';

/** Examples from a snapshot, for the document. */
export interface Examples {
  /** Values of the parameters. */
  values: FileParameters;
  /** The answer to each operation for these values, by its id; some may be missing. */
  answers: ReadonlyMap<string, unknown>;
}
const OPENAPI_VERSION = '3.1.0';
const NO_EXAMPLES: Examples = { values: {}, answers: new Map() };

/**
 * The document as a JSON value, in a fixed order and in the country's words.
 * @param modelVersion version of the snapshot that contains the document
 */
export function buildOpenapi(
  modelVersion: string,
  territory: Territory,
  examples: Examples = NO_EXAMPLES,
): OpenapiDocument {
  return jsonInCountry(buildDocument(modelVersion, territory, examples), territory) as OpenapiDocument;
}

function buildDocument(modelVersion: string, territory: Territory, { values, answers }: Examples): Json {
  const [country] = modelVersion.split('-');
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: 'Malaria Risk Data Service',
      version: CONTRACT_VERSION,
      'x-model-version': modelVersion,
      summary: 'Estimated and forecast malaria risk for every {state.full} and {lga.full}',
      description: apiDescription(),
      contact: { name: 'The service team' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{base_url}',
        variables: { base_url: { default: 'http://127.0.0.1:8080', description: 'Where the proxy listens' } },
      },
    ],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, about]) => ({ name, description: about })),
    paths: Object.fromEntries(
      ALL_OPERATIONS.map((operation) => [operation.path, { get: operationObject(operation, answers, territory) }]),
    ),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same key in a header of its own' },
      },
      parameters: {
        ...Object.fromEntries(
          (Object.keys(PARAMETERS) as ParameterName[]).map((name) => [name, parameterObject(name, values, territory)]),
        ),
        version: versionParameter('version', 'The version that was replaced', modelVersion),
        other: versionParameter('other', 'The version that replaced it', modelVersion),
      },
      headers: { ...HEADERS, 'Model-Version': { ...HEADERS['Model-Version'], example: `${country}-2023-0123abcd` } },
      responses: {
        NotModified: {
          description: 'The client has exactly these bytes already (If-None-Match)',
          headers: headerReferences(...ANSWER_HEADERS),
        },
        ...Object.fromEntries(
          COMMON_STATUSES.map((status) => [
            `Error${status}`,
            errorResponse(status, codesWithStatus(COMMON_ERRORS, status), territory),
          ]),
        ),
      },
      schemas: {
        ...Object.fromEntries(
          ALL_OPERATIONS.flatMap(({ responseName, response }) =>
            response ? [[responseName, toJsonSchema(response)]] : [],
          ),
        ),
        ...Object.fromEntries([...SHARED_SCHEMAS].map(([schema, name]) => [name, toJsonSchema(schema as TSchema)])),
        Problem: toJsonSchema(Problem),
      },
    },
  };
}

function apiDescription(): string {
  const scopes = Object.entries(SCOPES).map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`);
  const levels = LEVELS.map(({ level, below }) => `\`${level}\`${Number.isFinite(below) ? ` below ${below}` : ''}`);
  return [
    'Every request needs an API key, as `Authorization: Bearer` or as `x-api-key`. Scopes of a key:',
    '',
    ...scopes,
    '',
    LIMITS_TEXT,
    '',
    `Levels of a score: ${levels.join(', ')}.`,
    '',
    'Parameters are matched exactly and may be given once; unknown ones are ignored. But if one is absent and an unknown one is nearly called like it (`month` or `Period` for `period`), that is its error. HEAD is answered like GET, without a body.',
    '',
    'Repeat a request with `If-None-Match` and the answer’s `ETag`: if the answer is unchanged, you get a 304 without a body. Tables are files: use `Range` to get a part of one.',
    '',
    'Paths that name no version are all answered from one; `Model-Version` says which. With `/v1/versions/VERSION` in place of `/v1` an answer stays the same, byte for byte, as long as `/v1/versions` lists the version as kept; after that it is a 404, `UNKNOWN_VERSION`. Answers of a replaced version carry `Deprecation`, and `Sunset` if it is promised to be kept until a given time.',
    '',
    'Within /v1, fields, operations, parameters and codes may be added, but are never removed or given another meaning. Removals are announced in the notes of `/v1/versions` and by `Deprecation` and `Sunset`, at least twelve months ahead; breaking changes come as /v2 beside /v1.',
    '',
    'Examples are answers of this version for the example values of parameters, with their lists shortened.',
  ].join('\n');
}

function operationObject(operation: Operation, answers: Examples['answers'], territory: Territory): Json {
  const codes: ErrorCode[] = [...COMMON_ERRORS, ...operationErrors(operation)];
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((a, b) => a - b);
  const { id, response, type } = operation;
  const schema = response ? { schema: reference('schemas', operation.responseName) } : {};
  const answer = id === 'openapi' ? { openapi: OPENAPI_VERSION } : answers.get(id);
  const example = answer === undefined ? {} : { example: answer };
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: scopesInWords(operation.scopes),
    tags: [operationTag(operation)],
    parameters: [...pathParameters(operation), ...operation.parameters].map((name) => reference('parameters', name)),
    responses: {
      200: {
        description: operation.summary,
        headers: headerReferences(...answerHeaders(operation), 'Link'),
        content: { [type]: { ...schema, ...example } },
      },
      ...(response ? {} : { 206: PARTIAL_CONTENT }),
      304: reference('responses', 'NotModified'),
      ...Object.fromEntries(
        statuses.map((status) => [
          status,
          COMMON_STATUSES.includes(status)
            ? reference('responses', `Error${status}`)
            : errorResponse(status, codesWithStatus(codes, status), territory),
        ]),
      ),
    },
  };
}

const PARTIAL_CONTENT = {
  description: 'The bytes that Range asks for',
  headers: headerReferences('Content-Range', ...LIMIT_HEADERS),
};

function scopesInWords(scopes: readonly Scope[]): string {
  if (scopes.length === 0) return 'Any valid key.';
  return `${scopes.length > 1 ? 'Scopes' : 'Scope'} ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`;
}

/** A parameter's schema is a string on purpose: it is matched exactly, so `04` is not a valid number of months. */
function parameterObject(name: ParameterName, values: FileParameters, { state, lga }: Territory): Json {
  const { required, description: meaning, errors } = PARAMETERS[name];
  const { period, months } = PARAMETERS;
  const defaultExamples = { period: period.example, months: months.example, state: state.example, lga: lga.example };
  const example = String(values[name] ?? defaultExamples[name]);
  const pattern = { state: state.code, lga: lga.code, period: PERIOD_PATTERN, months: `^[1-${FORECAST_MONTHS}]$` }[
    name
  ];
  const schema = { type: 'string', pattern };
  return { name, in: 'query', required, description: `${meaning}. Otherwise ${errors.join(', ')}.`, schema, example };
}

function versionParameter(name: string, meaning: string, modelVersion: string): Json {
  const schema = { type: 'string', pattern: `^${VERSION_PATTERN}$` };
  return {
    name,
    in: 'path',
    required: true,
    description: `${meaning}. Otherwise UNKNOWN_VERSION.`,
    schema,
    example: modelVersion,
  };
}

const codesWithStatus = (codes: readonly ErrorCode[], status: number) =>
  codes.filter((code) => ERRORS[code].status === status);

function errorResponse(status: number, codes: readonly ErrorCode[], territory: Territory): Json {
  const headers: HeaderName[] =
    status === 401
      ? ['WWW-Authenticate', 'X-Request-Id']
      : status === 429
        ? ['Retry-After', ...LIMIT_HEADERS]
        : [...LIMIT_HEADERS];
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(' '),
    headers: headerReferences(...headers),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            reference('schemas', 'Problem'),
            { properties: { status: { const: status }, code: { enum: codes } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code, territory) }])),
      },
    },
  };
}

function problemExample(code: ErrorCode, territory: Territory): Problem {
  const { status, title: titleTemplate, detail } = ERRORS[code];
  const title = fillPlaceholders(titleTemplate, countryWords(territory));
  const request_id = String(HEADERS['X-Request-Id'].example);
  return { type: 'about:blank', title, status, detail, code, request_id };
}

/** Schemas that several answers share, by name. */
const SHARED_SCHEMAS: ReadonlyMap<unknown, string> = new Map(
  // Sorted, because test runners list a module's exports in another order than Node.
  Object.entries(schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) =>
      ('type' in value || 'anyOf' in value) && !ALL_OPERATIONS.some(({ response }) => response === value)
        ? [[value, name]]
        : [],
    ),
);

/**
 * A schema as plain JSON, with references to the shared ones. Objects are open: a later version of the contract may add
 * a field, and a client's check against this version should not fail then. (The pipeline checks that its own answers
 * have no other fields.)
 */
function toJsonSchema(schema: TSchema): Json {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => {
      if (key === 'additionalProperties' && value === false) return undefined;
      return value !== schema && SHARED_SCHEMAS.has(value) ? reference('schemas', SHARED_SCHEMAS.get(value)!) : value;
    }),
  ) as Json;
}
