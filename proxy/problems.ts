import { ERRORS, type ErrorCode } from '../pipeline/contract/errors.ts';

/** What to do about each error. Fixed text: nothing of a request is ever repeated back. */
const DETAILS: Record<ErrorCode, string> = {
  INVALID_KEY: 'Send a valid key in `Authorization: Bearer <API_KEY>` or in `x-api-key: <API_KEY>`.',
  RATE_LIMITED: 'Wait as many seconds as Retry-After says, then try again.',
  ALLOWANCE_EXHAUSTED:
    'The allowance is renewed at 00:00 UTC on the first of the month; Retry-After counts the seconds.',
  NOT_FOUND: 'Paths begin with /v1/ and are matched exactly, without a trailing slash.',
  METHOD_NOT_ALLOWED: 'Use GET, or HEAD for the headers alone.',
  SCOPE_REQUIRED: 'Use a key that was created with this scope; scopes of an existing key do not change.',
  UNKNOWN_STATE: 'Give `state` once, as a two-letter code in capitals; /v1/boundaries/states lists them.',
  INVALID_PERIOD: 'Give `period` once, as YYYY-MM with a month from 01 to 12.',
  FORECAST_PERIOD: 'Ask /v1/forecasts/states or /v1/forecasts/lgas; /v1/periods says which months are forecast.',
  PERIOD_NOT_AVAILABLE: '/v1/periods says which months there are.',
  INVALID_MONTHS: 'Give `months` once, as a single digit from 1 to 4.',
  TRANSMISSION_DATA_UNAVAILABLE: 'This country has no case records; the other operations are served as usual.',
};

/** Failures below the contract: what arrived was not HTTP, or the proxy itself or what it rests on failed. */
export const FAULTS = {
  MALFORMED_REQUEST: { status: 400, title: 'Not a valid HTTP request', detail: 'Check the client that sent it.' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive', detail: 'Send it again.' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large', detail: 'Send fewer or shorter headers.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'Keys and limits cannot be checked at present',
    detail: 'Wait as many seconds as Retry-After says, then try again.',
  },
  INTERNAL_ERROR: { status: 500, title: 'The server failed', detail: 'Try again later, and quote the request_id.' },
} as const;
export type FaultCode = keyof typeof FAULTS;

export const PROBLEM_TYPE = 'application/problem+json';

/** Status and RFC 9457 body of an error; the body is ASCII, so its length is its bytes. */
export function problem(code: ErrorCode | FaultCode, requestId: string): { status: number; body: string } {
  const { status, title, detail } =
    code in FAULTS ? FAULTS[code as FaultCode] : { ...ERRORS[code as ErrorCode], detail: DETAILS[code as ErrorCode] };
  return { status, body: JSON.stringify({ type: 'about:blank', title, status, detail, code, request_id: requestId }) };
}
