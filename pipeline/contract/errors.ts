import { type Static, Type } from 'typebox';

/** Every error the service answers with: its code, HTTP status and a title that never says more than it should. */
export const ERRORS = {
  INVALID_KEY: { status: 401, title: 'A valid API key is required' },
  RATE_LIMITED: { status: 429, title: 'Too many requests in the last minute' },
  ALLOWANCE_EXHAUSTED: { status: 429, title: "This month's allowance is used up" },
  NOT_FOUND: { status: 404, title: 'No such resource' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Only GET and HEAD are supported' },
  SCOPE_REQUIRED: { status: 403, title: 'The key lacks the scope that this operation needs' },
  UNKNOWN_STATE: { status: 404, title: '`state` is missing or is not the two-letter code of a state' },
  INVALID_PERIOD: { status: 400, title: '`period` is not a month of the form YYYY-MM' },
  FORECAST_PERIOD: { status: 400, title: '`period` is a forecast month; use the matching forecast operation' },
  PERIOD_NOT_AVAILABLE: { status: 404, title: '`period` is outside the months that the data covers' },
  INVALID_MONTHS: { status: 400, title: '`months` is not a whole number from 1 to 4' },
  TRANSMISSION_DATA_UNAVAILABLE: { status: 503, title: 'The transmission data has not been loaded on the server' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Errors that any operation can answer with, whatever its parameters. */
export const COMMON_ERRORS = ['INVALID_KEY', 'RATE_LIMITED', 'ALLOWANCE_EXHAUSTED'] as const satisfies ErrorCode[];

/** Body of every error, RFC 9457 `application/problem+json`. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'What kind of problem: `about:blank`, or a page about the code' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What to do about it' }),
    code: Type.Enum(Object.keys(ERRORS) as ErrorCode[]),
    request_id: Type.String({ description: 'Quote this when asking for help' }),
  },
  { additionalProperties: false },
);
export type Problem = Static<typeof Problem>;
