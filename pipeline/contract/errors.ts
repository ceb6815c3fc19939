import type { Static } from 'typebox';
import { FORECAST_MONTHS } from './months.ts';
import { closedObject, Type } from './type.ts';

/** Detail of an error for an operation about scores, the season or transmission, in a country without them. */
export const NO_ESTIMATE =
  "This country's data do not allow an estimate of it (`limits` in /v1/model-card say why); the other operations are served as usual.";

/**
 * Every error of the service: its code, HTTP status, a title that reveals no more than it should, and what to do about
 * it.
 */
export const ERRORS = {
  INVALID_KEY: {
    status: 401,
    title: 'A valid API key is required',
    detail:
      'Send a valid key in `Authorization: Bearer <API_KEY>` or in `x-api-key: <API_KEY>`. A key is refused if it is mistyped, has expired or was revoked, or if its account or organisation is not active: ask for another one where you got it.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests in the last minute',
    detail: 'Wait as many seconds as Retry-After says, then try again.',
  },
  ALLOWANCE_EXHAUSTED: {
    status: 429,
    title: "This month's allowance is used up",
    detail: 'The allowance is renewed at 00:00 UTC on the first of the month; Retry-After counts the seconds.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'No such resource',
    detail: '/v1/openapi.json lists all paths; they are matched exactly, without a trailing slash.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Only GET and HEAD are supported',
    detail: 'Use GET, or HEAD for the headers alone.',
  },
  SCOPE_REQUIRED: {
    status: 403,
    title: 'The key lacks a scope that this operation needs',
    detail: 'Use a key that was created with that scope; the scopes of a key never change.',
  },
  UNKNOWN_STATE: {
    status: 404,
    title: '`state` is missing or is not the code of {a.state}',
    detail: 'Give `state` once, as a code from /v1/places.',
  },
  UNKNOWN_LGA: {
    status: 404,
    title: '`lga` is missing or is not the code of {a.lga}',
    detail: 'Give `lga` once, as a code from /v1/places.',
  },
  UNKNOWN_VERSION: {
    status: 404,
    title: 'This version, or this diff, is not available',
    detail: '/v1/versions lists the versions that are available, and the addresses of their diffs.',
  },
  INVALID_PERIOD: {
    status: 400,
    title: '`period` is not a month of the form YYYY-MM',
    detail: 'Give `period` once, as YYYY-MM with a month from 01 to 12.',
  },
  FORECAST_PERIOD: {
    status: 400,
    title: '`period` is a forecast month; use the matching forecast operation',
    detail: 'Use /v1/forecasts/ with `months` ahead; /v1/periods shows which months are forecast.',
  },
  PERIOD_NOT_AVAILABLE: {
    status: 404,
    title: '`period` is outside the months that the data covers',
    detail: '/v1/periods shows which months are available.',
  },
  INVALID_MONTHS: {
    status: 400,
    title: `\`months\` is not a whole number from 1 to ${FORECAST_MONTHS}`,
    detail: `Give \`months\` once, as a single digit from 1 to ${FORECAST_MONTHS}.`,
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    title: 'The file ends before the range that Range asks for',
    detail: 'Content-Range gives the number of bytes that there are.',
  },
  SCORES_UNAVAILABLE: {
    status: 503,
    title: 'There are no scores: surveys in sufficient number have not been loaded on the server',
    detail: NO_ESTIMATE,
  },
  CASE_DATA_UNAVAILABLE: {
    status: 503,
    title: 'Case records of at least two years have not been loaded on the server',
    detail:
      'This country has no alerts, which compare its case records with those of two years; the other operations are served as usual.',
  },
  TRANSMISSION_DATA_UNAVAILABLE: {
    status: 503,
    title: 'The transmission data has not been loaded on the server',
    detail: NO_ESTIMATE,
  },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Errors that are not due to an operation: the request is not HTTP, or the proxy or something it depends on failed. */
export const FAULTS = {
  MALFORMED_REQUEST: { status: 400, title: 'Not a valid HTTP request', detail: 'Check the client that sent it.' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive', detail: 'Send it again.' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large', detail: 'Send fewer or shorter headers.' },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'The answer is no longer the one that If-Match names',
    detail: 'Request it again without If-Match, from its first byte.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'Keys and limits cannot be checked at present',
    detail: 'Wait as many seconds as Retry-After says, then try again.',
  },
  DATA_DAMAGED: {
    status: 503,
    title: 'The file with this answer is damaged on the server',
    detail: 'Try again later, and quote the request_id.',
  },
  INTERNAL_ERROR: { status: 500, title: 'The server failed', detail: 'Try again later, and quote the request_id.' },
} as const;

/** Errors that any operation can answer with, whatever its parameters. */
export const COMMON_ERRORS = ['INVALID_KEY', 'RATE_LIMITED', 'ALLOWANCE_EXHAUSTED'] as const satisfies ErrorCode[];

/** Body of every error, RFC 9457 `application/problem+json`. */
export const Problem = closedObject({
  type: Type.String({ description: 'What kind of problem: `about:blank`, or a page about the code' }),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String({ description: 'What to do about it' }),
  code: Type.String({
    pattern: '^[A-Z_]+$',
    description: `What happened, for programs. Currently one of ${[...Object.keys(ERRORS), ...Object.keys(FAULTS)].join(', ')}; handle a code that you do not know by its status`,
  }),
  request_id: Type.String({ description: 'Quote this when asking for help' }),
});
export type Problem = Static<typeof Problem>;
