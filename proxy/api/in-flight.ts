/** Tracks which responses are in flight on which connection. */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  responses: Set<ServerResponse>;
  whenIdle: (() => void) | null;
  isClosing: boolean;
}

/** Tracks the responses of a server, and closes connections whose client takes longer than `readingMs` to read one. */
export class InFlight {
  readonly #readingMs: number;
  readonly #connections = new Map<Socket, Connection>();

  constructor(server: Server, readingMs: number) {
    this.#readingMs = readingMs;
    server.on('connection', (socket: Socket) => this.#track(socket));
  }

  #track(socket: Socket): void {
    const connection: Connection = { responses: new Set(), whenIdle: null, isClosing: false };
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      // Node does not close responses still queued behind an earlier one, and they may keep a file open.
      for (const response of connection.responses) response.destroy();
    });
  }

  add(socket: Socket, response: ServerResponse): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.responses.add(response);
    const timer = setTimeout(() => socket.destroy(), this.#readingMs).unref();
    response.once('close', () => {
      clearTimeout(timer);
      connection.responses.delete(response);
      if (connection.responses.size === 0) connection.whenIdle?.();
    });
  }

  /** Calls `callback` once no response is in flight on `socket`, possibly at once; never if the socket closes first. */
  afterResponses(socket: Socket, callback: () => void): void {
    const connection = this.#connections.get(socket);
    if (!connection || connection.responses.size === 0) callback();
    else connection.whenIdle = callback;
  }

  /** Marks `socket`: no further request on it is answered, and it is closed after the current answer. */
  closeAfterAnswer(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection || connection.isClosing) return;
    connection.isClosing = true;
    socket.destroySoon = () => closeSlowly(socket);
  }

  isClosing(socket: Socket): boolean {
    return this.#connections.get(socket)?.isClosing ?? false;
  }

  /** Resolves once every response now in flight has been sent, or its connection has closed. */
  waitForResponses(): Promise<unknown> {
    const responses = [...this.#connections.values()].flatMap((connection) => [...connection.responses]);
    return Promise.all(responses.map((response) => once(response, 'close')));
  }
}

/** How long a connection that is being closed continues to read what its client sends. */
const LINGER_MS = 2000;

/**
 * Ends the sending side, and closes the connection when the client does. If it were closed at once while input is still
 * arriving, the kernel would discard the unsent rest of the answer (RFC 9112, 9.6).
 */
function closeSlowly(socket: Socket): void {
  if (socket.writableEnded) return;
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
