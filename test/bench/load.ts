/** A client with many connections, one request at a time on each, that inspects every answer. */
import { connect } from 'node:net';

export interface Request {
  target: string;
  key: string;
  acceptEncoding?: string;
}

export interface Answer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
}

export interface Drive {
  /** The next request, or null if there are no more; called whenever a connection becomes free. */
  next(): Request | null;
  answered(request: Request, answer: Answer): void;
  /** Called if a connection breaks before its request is answered. The connection is not reopened. */
  lost?(request: Request): void;
}

/** Sends requests to `port` on `connections` connections until there are no more. */
export async function drive(port: number, connections: number, { next, answered, lost }: Drive): Promise<void> {
  const runConnection = () =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      let pending: Request | null = null;
      let held: Buffer = Buffer.alloc(0);
      const ask = () => {
        pending = next();
        if (!pending) {
          socket.end();
          return;
        }
        const { target, key, acceptEncoding } = pending;
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
        const request = pending!;
        pending = null;
        held = Buffer.alloc(0);
        answered(request, { status: Number(first!.slice(9, 12)), headers, body });
        ask();
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        if (pending) lost?.(pending);
        resolve();
      });
    });
  await Promise.all(Array.from({ length: connections }, runConnection));
}

/** Prints whether a guarantee holds, with its figures; the process exits with 1 if any does not. */
export function report(holds: boolean, line: string): void {
  process.stdout.write(`${holds ? 'holds' : 'FAILS'}: ${line}\n`);
  if (!holds) process.exitCode = 1;
}
