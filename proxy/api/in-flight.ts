/** Tracks which answers are in flight on which connection. */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** When each was started, oldest first. */
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
      // Node does not close answers still queued behind an earlier one, and they may hold a file open.
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
    /** Calls `next` as soon as no answer is in flight on `socket`, which may be at once; never if it closes first. */
    afterAnswers(socket: Socket, next: () => void): void {
      const connection = connections.get(socket);
      if (!connection || connection.answers.size === 0) next();
      else connection.next = next;
    },
    /** Marks `socket`: no further request on it is answered. */
    condemn(socket: Socket): void {
      const connection = connections.get(socket);
      if (connection) connection.isCondemned = true;
    },
    isCondemned: (socket: Socket) => connections.get(socket)?.isCondemned ?? false,
    /** Resolves once every answer now in flight has been sent, or its connection has closed. */
    settled(): Promise<unknown> {
      const responses = [...connections.values()].flatMap(({ answers }) => [...answers.keys()]);
      return Promise.all(responses.map((response) => once(response, 'close')));
    },
    stop: () => clearInterval(sweep),
  };
}

export type InFlight = ReturnType<typeof trackInFlight>;
