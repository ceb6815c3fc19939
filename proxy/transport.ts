import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type FaultCode, PROBLEM_TYPE, problem } from './problems.ts';

const FAULT_OF: Record<string, FaultCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Answers what is not HTTP, where there is no request to answer, and closes the connection. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const { status, body } = problem(FAULT_OF[error.code ?? ''] ?? 'MALFORMED_REQUEST', requestId);
  const reason = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }[status];
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'X-Content-Type-Options: nosniff',
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/**
 * Sends requests that Node's server would answer or drop by itself, CONNECT and an unknown Expect, the way of all
 * others, so that they too are asked for a key first.
 */
export function routeOddRequests(
  server: Server,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  server.on('checkExpectation', handle);
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.on('finish', () => socket.end());
    socket.on('error', () => socket.destroy());
    handle(request, response);
  });
}

/** Bounds of connections and requests, in milliseconds and bytes; README.md has them for operators. */
export const BOUNDS = {
  server: {
    maxHeaderSize: 16_384,
    /** From the first byte, or for a new connection from its opening, until the headers are whole. */
    headersTimeout: 10_000,
    /** The same until the whole request is there, its body included. */
    requestTimeout: 20_000,
    /** Between two requests. Longer than the usual 60 s of load balancers, so that it is they who close. */
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 2000,
    /** Requests without a body, as all proper ones, get no stream for it. */
    optimizeEmptyRequests: true,
  },
  /** At once; more are closed as they come. */
  connections: 10_000,
} as const;

/** Nothing sent and nothing read on a connection for this long, while an answer is on its way, closes it. */
const SILENCE_MS = 30_000;

export function closeSilent(server: Server): void {
  server.setTimeout(SILENCE_MS);
}

/** No operation takes a body; what comes is thrown away up to here, and then the connection is cut. */
const LONGEST_BODY_BYTES = 64 * 1024;

/** An answer that its reader has not taken after this long is cut off. */
const READING_MS = 120_000;

/** Cuts the connection of a request whose body turns out long, once it has been answered. */
export function cutOffLongBody(request: IncomingMessage): void {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LONGEST_BODY_BYTES) request.socket.destroy();
  });
}

/** Cuts off whoever reads so slowly that most of an answer is still here after `READING_MS`. */
export function cutOffSlowReader(request: IncomingMessage, response: ServerResponse): void {
  if (response.writableFinished || request.socket.writableLength === 0) return;
  const deadline = setTimeout(() => request.socket.destroy(), READING_MS);
  response.once('close', () => clearTimeout(deadline));
}
