/** The HTTP protocol: malformed requests, bounds on connections, and stopping. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { InFlight } from './in-flight.ts';
import { type ProblemCode, problemResponse, sendProblem, UNPARSED_REQUEST } from './problems.ts';

/** Bounds on connections and requests; operate.md explains them to operators. */
export const BOUNDS = {
  headerBytes: 16_384,
  /** From the first byte (on a new connection, from its opening) until the headers are complete. */
  headersMs: 10_000,
  /** The same until the complete request has arrived, including its body, which is never read. */
  requestMs: 20_000,
  /** Between two requests. Longer than the usual 60 s of load balancers, so that they close connections first. */
  idleMs: 65_000,
  /** A connection with a request in flight is closed after this long without traffic. */
  silenceMs: 30_000,
  /** A connection whose client takes longer than this to read an answer is closed. */
  readingMs: 120_000,
  /** Open connections; further ones are closed on arrival. */
  connections: 10_000,
};
export type Bounds = typeof BOUNDS;

/** A stopping server accepts connections for this much longer, because clients do not know yet that it is stopping. */
const ACCEPT_WHILE_STOPPING_MS = 100;

declare module 'fastify' {
  interface FastifyInstance {
    inFlight: InFlight;
  }
}

export const protocolPlugin = fp(async (app: FastifyInstance, { bounds }: { bounds: Bounds }) => {
  const inFlight = new InFlight(app.server, bounds.readingMs);
  app.decorate('inFlight', inFlight);
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
    await pause(ACCEPT_WHILE_STOPPING_MS);
    app.server.maxConnections = 0;
    // Node considers a connection idle, and closes it, once its answer is written, even if it is not yet sent in full.
    await inFlight.waitForResponses();
  });

  // Synchronously, without a promise: the parser may find the next request malformed before a promise settles.
  app.addHook('onRequest', (request, reply, done) => {
    const { socket, headers } = request.raw;
    // Anything that follows the last request on a connection may be part of its body, so it is ignored.
    if (inFlight.isClosing(socket)) return void reply.hijack();
    inFlight.add(socket, reply.raw);
    const isMalformedRequest = isMalformed(request);
    // No operation accepts a body, so none is read; and Node drops everything that follows an upgrade request.
    const hasBody = 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0;
    if (isMalformedRequest || hasBody || headers.expect !== undefined || headers.upgrade !== undefined || isStopping) {
      inFlight.closeAfterAnswer(socket);
      reply.header('connection', 'close');
    }
    if (isMalformedRequest) sendProblem(reply, 'MALFORMED_REQUEST');
    else done();
  });

  // Node would answer an unknown Expect without checking the key, and `100 Continue` would invite a body that is never
  // read.
  for (const event of ['checkExpectation', 'checkContinue']) app.server.on(event, app.routing);
});

/** host[:port] (RFC 9110, 7.2): a name, an IPv4 address or an IPv6 address in brackets; may be empty in Host. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** Whether a server in front might read this request differently from Node: framing, version, host (RFC 9112). */
function isMalformed({ raw, originalUrl }: FastifyRequest): boolean {
  const isHttp10 = raw.httpVersion === '1.0';
  if (!isHttp10 && raw.httpVersion !== '1.1') return true;
  // Node joins repeated headers with commas.
  const coding = raw.headers['transfer-encoding'];
  if (coding !== undefined && (isHttp10 || coding.toLowerCase() !== 'chunked')) return true;
  // `headers` would hide a repeated Host.
  const hosts = raw.headersDistinct.host ?? [];
  if (hosts.length > 1 || (hosts.length === 0 && !isHttp10)) return true;
  // A target in absolute form also contains the host, which must not be empty.
  const authority = /^https?:\/\/([^/?#]*)/i.exec(originalUrl)?.[1];
  return authority === '' || [...hosts, authority ?? ''].some((host) => !HOST.test(host));
}

const PARSER_PROBLEMS: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

type BrokenRequest = NodeJS.ErrnoException & { rawPacket?: unknown; bytesParsed?: number };

/** Whether the parser rejected a request without a key for its method alone, which it does not know. */
function isKeyless({ code, rawPacket, bytesParsed = 0 }: BrokenRequest): boolean {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return false;
  const packet = rawPacket.toString('latin1');
  const request = packet.slice(packet.lastIndexOf('\n', bytesParsed - 1) + 1);
  return /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r\n/.test(request) && !/^(authorization|x-api-key):/im.test(request);
}

/**
 * Answers a request that Node's parser rejected, for which there is no request object, and closes the connection, once
 * all earlier requests on the connection have been answered.
 */
export function refuseBrokenRequest(app: FastifyInstance, error: BrokenRequest, socket: Socket): void {
  const { code = '' } = error;
  if (code === 'ECONNRESET') return void socket.destroy();
  app.inFlight.afterResponses(socket, () => {
    if (!socket.writable || code === 'HPE_CLOSED_CONNECTION' || app.inFlight.isClosing(socket)) {
      return void socket.destroySoon();
    }
    const request_id = randomUUID();
    const problem = isKeyless(error) ? 'INVALID_KEY' : (PARSER_PROBLEMS[code] ?? 'MALFORMED_REQUEST');
    const { status, headers, body } = problemResponse(problem, request_id);
    app.recordAccess({ ...UNPARSED_REQUEST, request_id, status, error: problem });
    const answerHeaders = { ...headers, 'content-length': body.length, 'x-request-id': request_id };
    const challenge: Record<string, string> = problem === 'INVALID_KEY' ? { 'www-authenticate': 'Bearer' } : {};
    const fixedHeaders = { date: new Date().toUTCString(), 'x-content-type-options': 'nosniff', connection: 'close' };
    const head = Object.entries({ ...answerHeaders, ...challenge, ...fixedHeaders }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  });
}
