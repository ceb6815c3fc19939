import type { IncomingMessage } from 'node:http';
import { type HeaderLines, headerLines } from './head.ts';
import type { Reply } from './replies.ts';

const EXPOSED = 'ETag, Model-Version, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';

/** Whether this is a browser's preflight from a listed origin; it cannot carry the key, so it is asked for none. */
export function isPreflight({ method, headers }: IncomingMessage, origins: ReadonlySet<string>): boolean {
  return (
    method === 'OPTIONS' &&
    headers['access-control-request-method'] !== undefined &&
    origins.has(String(headers.origin))
  );
}

/** The answer to a preflight: GET and HEAD with either key header, remembered for an hour. */
export function preflightReply(): Reply {
  return {
    status: 204,
    lines: headerLines(
      ...['access-control-allow-methods', 'GET, HEAD'],
      ...['access-control-allow-headers', 'Authorization, X-Api-Key, If-None-Match'],
      ...['access-control-max-age', '3600'],
    ),
    body: null,
  };
}

/** What answers differ by: also by origin, for everyone, while there is a list of them. */
export function varyOf(origins: ReadonlySet<string>): string {
  return origins.size > 0 ? 'Accept-Encoding, Origin' : 'Accept-Encoding';
}

/** Lines that let pages of a listed `origin` read the answer. */
export function corsLines(origin: string | undefined, origins: ReadonlySet<string>): HeaderLines {
  if (origin === undefined || !origins.has(origin)) return '';
  return headerLines('access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED);
}
