import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface UnderWay {
  /** Minds the connection of `response`, whose answer is not all with the system yet. */
  add(socket: Socket, response: ServerResponse): void;
  /** Whether an answer is under way on `socket`. */
  has(socket: Socket): boolean;
  /** Does `next` once no answer is under way on `socket`; never where it closes before. */
  after(socket: Socket, next: () => void): void;
  /** Does `next` whenever no answer is under way on any connection: at once if so, and each time it comes to that. */
  whenNone(next: () => void): void;
  /** Cuts off every connection with an answer under way. */
  cutOffAll(): void;
}

interface Connection {
  answers: Set<ServerResponse>;
  next: () => void;
  /** None while the answer is young. */
  deadline: NodeJS.Timeout | null;
  end: () => void;
}

/**
 * The answers that are not with the system at once, as most are. Whoever reads nothing of one for a while is cut off, and
 * whoever takes too long until one is read to its end.
 */
export function createUnderWay({ silenceMs, readingMs }: { silenceMs: number; readingMs: number }): UnderWay {
  const connections = new Map<Socket, Connection>();
  let none = () => {};
  // Most have left before a timer would be of use: those that wait for a store across the network.
  const youngMs = Math.min(1000, silenceMs / 8, readingMs / 8);
  let isLooking = false;
  const mindAll = () => {
    isLooking = false;
    for (const [socket, own] of connections) {
      if (own.deadline !== null) continue;
      own.deadline = setTimeout(() => socket.destroy(), readingMs);
      socket.setTimeout(silenceMs);
    }
  };
  const begin = (socket: Socket) => {
    const end = () => {
      connections.delete(socket);
      socket.off('close', end);
      if (own.deadline !== null) {
        clearTimeout(own.deadline);
        // From here on it may be silent for as long as any idle connection.
        socket.setTimeout(0);
      }
      // An answer that waits for another one's end is told nothing when the connection closes, once Node has let go of
      // that. It would keep its file open, and a file that is left to be swept up ends the process.
      for (const answer of own.answers) answer.destroy();
      if (connections.size === 0) none();
    };
    const own: Connection = { answers: new Set(), next: () => {}, deadline: null, end };
    connections.set(socket, own);
    socket.on('close', end);
    if (!isLooking) setTimeout(mindAll, youngMs).unref();
    isLooking = true;
    return own;
  };
  return {
    add(socket: Socket, response: ServerResponse): void {
      if (socket.destroyed) {
        response.destroy();
        return;
      }
      const own = connections.get(socket) ?? begin(socket);
      own.answers.add(response);
      response.once('close', () => {
        if (socket.destroyed) return;
        own.answers.delete(response);
        if (own.answers.size > 0) {
          own.deadline?.refresh();
          return;
        }
        own.end();
        own.next();
      });
    },
    has(socket: Socket): boolean {
      return connections.has(socket);
    },
    after(socket: Socket, next: () => void): void {
      const own = connections.get(socket);
      if (own) own.next = next;
      else next();
    },
    whenNone(next: () => void): void {
      none = next;
      if (connections.size === 0) none();
    },
    cutOffAll(): void {
      for (const socket of connections.keys()) socket.destroy();
    },
  };
}
