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
}

interface Connection {
  answers: number;
  next: () => void;
  deadline: NodeJS.Timeout;
  end: () => void;
}

/**
 * The answers that are not with the system at once, as most are. Whoever reads nothing of one for a while is cut off, and
 * whoever takes too long until one is read to its end.
 */
export function createUnderWay({ silenceMs, readingMs }: { silenceMs: number; readingMs: number }): UnderWay {
  const connections = new Map<Socket, Connection>();
  let none = () => {};
  const begin = (socket: Socket) => {
    const end = () => {
      clearTimeout(own.deadline);
      connections.delete(socket);
      // From here on it may be silent for as long as any idle connection.
      socket.off('close', end).setTimeout(0);
      if (connections.size === 0) none();
    };
    const own: Connection = {
      answers: 0,
      next: () => {},
      deadline: setTimeout(() => socket.destroy(), readingMs),
      end,
    };
    connections.set(socket, own);
    // An answer that waits for another one's end is told nothing when the connection closes.
    socket.on('close', end).setTimeout(silenceMs);
    return own;
  };
  return {
    add(socket: Socket, response: ServerResponse): void {
      if (socket.destroyed) return;
      const own = connections.get(socket) ?? begin(socket);
      own.answers++;
      response.once('close', () => {
        if (socket.destroyed) return;
        own.answers--;
        if (own.answers > 0) {
          own.deadline.refresh();
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
  };
}
