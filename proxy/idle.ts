import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How many bytes had moved on a connection when it was last seen at work, and when that was. */
interface Seen {
  bytes: number;
  at: number;
}

/**
 * Closes connections of `server` that have had an answer, are not at work by `isAtWork`, and on which no byte has moved
 * since for `idleMs`, or up to a quarter longer. They are looked at now and then: Node's own `keepAliveTimeout` sets a
 * timer anew twice a request, which takes longer than all of the proxy's checks together.
 */
export function closeWhenIdle(server: Server, idleMs: number, isAtWork: (socket: Socket) => boolean): void {
  const connections = new Map<Socket, Seen>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { bytes: 0, at: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  const looking = setInterval(() => {
    const now = performance.now();
    for (const [socket, seen] of connections) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes !== seen.bytes || isAtWork(socket)) Object.assign(seen, { bytes, at: now });
      else if (now - seen.at >= idleMs && socket.bytesWritten > 0) socket.destroy();
    }
  }, idleMs / 8).unref();
  server.on('close', () => clearInterval(looking));
}
