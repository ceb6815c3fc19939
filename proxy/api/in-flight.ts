/** Which answers are in flight on which connection. */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** When each was begun, the oldest first. */
  answers: Map<ServerResponse, number>;
  next: (() => void) | null;
  isCondemned: boolean;
}

/** Tracks the answers of `server`, and closes connections whose client takes longer than `readingMs` to read one. */
export function trackInFlight(server: Server, readingMs: number) {
  const connections = new Map<Socket, Connection>();
  server.on('connection', (socket: Socket) => {
    const connection: Connection = { answers: new Map(), next: null, isCondemned: false };
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      // Those that still waited for an earlier one on the connection are told by nobody else, and may hold a file open.
      for (const response of connection.answers.keys()) response.destroy();
    });
  });
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [socket, { answers }] of connections) {
      const [oldest = now] = answers.values();
      if (now - oldest > readingMs) socket.destroy();
    }
  }, readingMs / 8).unref();
  return {
    add(socket: Socket, response: ServerResponse): void {
      const connection = connections.get(socket);
      if (!connection) return;
      connection.answers.set(response, performance.now());
      response.once('close', () => {
        connection.answers.delete(response);
        if (connection.answers.size === 0) connection.next?.();
      });
    },
    /** Calls `next` once no answer is in flight on `socket`: at once if so, and never where it closes before. */
    afterAnswers(socket: Socket, next: () => void): void {
      const connection = connections.get(socket);
      if (!connection || connection.answers.size === 0) next();
      else connection.next = next;
    },
    /** Marks `socket`: no request that follows on it is to be answered. */
    condemn(socket: Socket): void {
      const connection = connections.get(socket);
      if (connection) connection.isCondemned = true;
    },
    isCondemned: (socket: Socket) => connections.get(socket)?.isCondemned ?? false,
    /** Resolves once every answer that is now in flight has been sent, or its connection has closed. */
    settled(): Promise<unknown> {
      const responses = [...connections.values()].flatMap(({ answers }) => [...answers.keys()]);
      return Promise.all(responses.map((response) => once(response, 'close')));
    },
    stop: () => clearInterval(sweep),
  };
}

export type InFlight = ReturnType<typeof trackInFlight>;
