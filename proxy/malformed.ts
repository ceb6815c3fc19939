/** What is no proper request, and so never comes to the door. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type FaultCode, PROBLEM_TYPE, problem } from './problems.ts';
import { newRequestId } from './request-id.ts';

/** Told of each request that was refused before it came to the door. */
export type Refused = (status: number, requestId: string) => void;

const FAULT_OF: Record<string, FaultCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Answers what is not HTTP, where there is no request to answer, and closes the connection. */
export function answerBrokenRequest(code: string | undefined, socket: Socket, refused: Refused): void {
  if (!socket.writable || code === 'HPE_CLOSED_CONNECTION') {
    socket.destroySoon();
    return;
  }
  const requestId = newRequestId();
  const { status, body } = problem(FAULT_OF[code ?? ''] ?? 'MALFORMED_REQUEST', requestId);
  refused(status, requestId);
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

/** Whether a request names its host as HTTP/1.1 asks: once (RFC 9112, 3.2). */
export function namesItsHost({ httpVersionMinor, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersionMinor === 0);
}

/** Answers a request that is none, though it could be read. */
export function refuseMalformed(response: ServerResponse, refused: Refused): void {
  const requestId = newRequestId();
  const { status, body } = problem('MALFORMED_REQUEST', requestId);
  refused(status, requestId);
  const headers = ['content-type', PROBLEM_TYPE, 'content-length', String(body.length)];
  response.writeHead(status, [...headers, 'x-request-id', requestId, 'connection', 'close']).end(body);
}
