import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeWhenIdle } from './idle.ts';
import { answerBrokenRequest, namesItsHost, type Refused, refuseMalformed } from './malformed.ts';
import { createUnderWay, type UnderWay } from './under-way.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers requests that came in together. What it has at once goes out with `send`, one answer right after the other. */
export interface Round {
  answer: Handler;
  send(): void;
}

/** Opens for a round of requests, all of which have come in by then. */
export type Door = () => Round;

/** The answer that a connection is given to, as Node has it. */
type Answering = Socket & { _httpMessage?: ServerResponse | null };

/**
 * Sends requests that Node's server would answer or drop by itself, CONNECT and any Expect, the way of all
 * others, so that they too are asked for a key first.
 */
function routeOddRequests(server: Server, handle: Handler, afterAnswers: UnderWay['after']): void {
  server.on('checkExpectation', handle);
  // No `100 Continue` either: it would invite a body that nobody reads.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // The body may come all the same.
    response.shouldKeepAlive = false;
    handle(request, response);
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const connection = socket as Socket;
    // Node has let go of the socket: nothing else would read its end, or close it with the server or when it is silent.
    connection.on('error', () => connection.destroy());
    connection.on('timeout', () => connection.destroy());
    connection.resume();
    // Node would tell an answer under way itself that it may go on.
    connection.on('drain', () => (connection as Answering)._httpMessage?.emit('drain'));
    // What was asked on the connection before has its answer first, which begins at the end of this turn.
    setImmediate(() =>
      afterAnswers(connection, () => {
        if (!connection.writable) return;
        const response = new ServerResponse(request);
        response.shouldKeepAlive = false;
        response.assignSocket(connection);
        response.on('finish', () => connection.destroySoon());
        handle(request, response);
      }),
    );
  });
}

/** Bounds of connections and requests. README.md has them for operators. */
export interface Bounds {
  headerBytes: number;
  /** From the first byte, or for a new connection from its opening, until the headers are whole. */
  headersMs: number;
  /** The same until the whole request is there, its body included. */
  requestMs: number;
  /** Between two requests. */
  idleMs: number;
  /** No operation takes a body: what comes is thrown away up to here, and then the connection is cut. */
  bodyBytes: number;
  /** Nothing read of an answer for this long closes the connection. */
  silenceMs: number;
  /** So does an answer that is still not read to its end. */
  readingMs: number;
  /** Connections at once; more are closed as they come. */
  connections: number;
}

export const BOUNDS: Bounds = {
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 20_000,
  // Longer than the usual 60 s of load balancers, so that it is they who close.
  idleMs: 65_000,
  bodyBytes: 65_536,
  silenceMs: 30_000,
  readingMs: 120_000,
  connections: 10_000,
};

/** A server that stops leaves idle connections open for so long: to requests that were sent before clients could know. */
const LATE_MS = 100;

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Has each connection of `round` end with the last answer on it, for the server is stopping. */
function endConnections(round: readonly Asked[]): void {
  const last = new Map(round.map(({ request, response }) => [request.socket, response]));
  for (const response of last.values()) response.shouldKeepAlive = false;
}

/**
 * A server of what comes to `door` that keeps to `bounds`.
 *
 * The requests of one turn of the event loop are answered together at its end. What is looked at once for all of them,
 * the door's opening, is looked at after the last byte of each was read; and their answers leave one right after the
 * other, which wakes a busy client less often.
 */
export function createBoundedServer(door: Door, bounds: Bounds, refused: Refused): Server {
  let waiting: Asked[] = [];
  const underWay = createUnderWay(bounds);
  const answerAll = () => {
    const requests = waiting;
    waiting = [];
    if (!server.listening) endConnections(requests);
    const { answer, send } = door();
    for (const { request, response } of requests) {
      if (namesItsHost(request)) answer(request, response);
      else refuseMalformed(response, refused);
    }
    send();
    for (const { request, response } of requests) {
      cutOffLongBody(request, bounds.bodyBytes, underWay.after);
      // No socket: another answer goes before it on the connection.
      if (!response.writableEnded || response.socket?.writableLength !== 0) underWay.add(request.socket, response);
    }
  };
  const handle: Handler = (request, response) => {
    // Node makes no upgrade of it, but drops what came with it behind it: so nothing may.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    if (waiting.push({ request, response }) === 1) setImmediate(answerAll);
  };
  const server = createServer(
    {
      maxHeaderSize: bounds.headerBytes,
      headersTimeout: bounds.headersMs,
      requestTimeout: bounds.requestMs,
      keepAliveTimeout: 0,
      connectionsCheckingInterval: Math.min(2000, bounds.headersMs / 2),
      // Requests without a body, as all proper ones, get no stream for it.
      optimizeEmptyRequests: true,
      // Checked here, for an answer in the form of all others.
      requireHostHeader: false,
    },
    handle,
  );
  // A client may close its side once it has asked, and still gets its answer. Node has this since ever, undocumented.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxConnections = bounds.connections;
  // To Node, which asks this as it closes, a connection is idle whose answer it has been given but not yet sent. Asked
  // again at the end of each answer under way, it closes the connections that fell idle since.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    setTimeout(() => setImmediate(() => underWay.whenNone(closeIdle)), LATE_MS).unref();
  };
  // Those that Node has let go of it does not know of any more.
  const closeAll = server.closeAllConnections.bind(server);
  server.closeAllConnections = () => {
    closeAll();
    underWay.cutOffAll();
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // What came before it on the connection is answered first, and nothing is written into an answer under way.
    if (waiting.length > 0) answerAll();
    if (error.code === 'ECONNRESET') socket.destroy();
    else underWay.after(socket, () => answerBrokenRequest(error.code, socket, refused));
  });
  closeWhenIdle(server, bounds.idleMs, underWay.has);
  routeOddRequests(server, handle, underWay.after);
  return server;
}

/** From the end of the answers until the cut: to cut sooner would throw away what the client has not fetched of them. */
const LINGER_MS = 1000;

/** Cuts the connection of a request whose body turns out long, once all that was asked on it has its answer. */
function cutOffLongBody(request: IncomingMessage, most: number, afterAnswers: UnderWay['after']): void {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= most) return;
    request.pause();
    const { socket } = request;
    afterAnswers(socket, () => {
      socket.end();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    });
  });
}
