/** A client of many connections, each with one request at a time, that looks at every answer. */
import { connect } from 'node:net';

export interface Request {
  target: string;
  key: string;
  acceptEncoding?: string;
}

export interface Answer {
  status: number;
  /** Names in small letters. */
  headers: Record<string, string>;
  body: Buffer;
}

export interface Drive {
  /** The next request, or null where there is no more; asked on each connection as it becomes free. */
  next(): Request | null;
  answered(request: Request, answer: Answer): void;
  /** A connection that broke with its request unanswered. It is not opened again. */
  lost?(request: Request): void;
}

/** Drives `connections` to `port` until there is no more to send. */
export async function drive(port: number, connections: number, { next, answered, lost }: Drive): Promise<void> {
  const one = () =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      let asked: Request | null = null;
      let held: Buffer = Buffer.alloc(0);
      const ask = () => {
        asked = next();
        if (!asked) {
          socket.end();
          return;
        }
        const { target, key, acceptEncoding } = asked;
        const coding = acceptEncoding === undefined ? '' : `Accept-Encoding: ${acceptEncoding}\r\n`;
        socket.write(`GET ${target} HTTP/1.1\r\nHost: bench\r\nX-Api-Key: ${key}\r\n${coding}\r\n`);
      };
      socket.on('connect', ask);
      socket.on('data', (chunk: Buffer) => {
        held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
        const head = held.indexOf('\r\n\r\n');
        if (head < 0) return;
        const [first, ...lines] = held.toString('latin1', 0, head).split('\r\n');
        const headers = Object.fromEntries(
          lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
        );
        const end = head + 4 + Number(headers['content-length'] ?? 0);
        if (held.length < end) return;
        const body = held.subarray(head + 4, end);
        const request = asked!;
        asked = null;
        held = Buffer.alloc(0);
        answered(request, { status: Number(first!.slice(9, 12)), headers, body });
        ask();
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        if (asked) lost?.(asked);
        resolve();
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
}

/** Prints whether `holds`, with the figures that show it; the process exits 1 where anything does not. */
export function show(holds: boolean, line: string): void {
  process.stdout.write(`${holds ? 'holds' : 'FAILS'}: ${line}\n`);
  if (!holds) process.exitCode = 1;
}
