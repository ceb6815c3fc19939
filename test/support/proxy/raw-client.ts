/** Sends raw bytes to a server and reads its answers, without the checks of an HTTP client. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: string;
  body: string;
}

/** Sends `text` (latin1), in pieces if it is a list, and reads until the server closes or is quiet for `quietMs`. */
export function exchange(
  port: number,
  text: string | string[],
  { quietMs = 5000, pauseMs = 0, end = false } = {},
): Promise<{ raw: string; answers: RawAnswer[] }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let raw = '';
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      raw += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ raw, answers: splitAnswers(raw) }));
    void send(socket, [text].flat(), pauseMs, end);
  });
}

async function send(socket: Socket, pieces: string[], pauseMs: number, end: boolean): Promise<void> {
  for (const piece of pieces) {
    if (!socket.destroyed) socket.write(piece, 'latin1');
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (end && !socket.destroyed) socket.end();
}

/** Splits the data of a connection into answers by their lengths; the answer to a HEAD must be the last. */
export function splitAnswers(raw: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = raw;
  while (rest.startsWith('HTTP/1.1 ')) {
    const head = rest.indexOf('\r\n\r\n');
    if (head < 0) break;
    const headers = rest.slice(0, head);
    const length = Number(/^content-length: (\d+)$/im.exec(headers)?.[1] ?? 0);
    answers.push({ status: Number(headers.slice(9, 12)), headers, body: rest.slice(head + 4, head + 4 + length) });
    rest = rest.slice(head + 4 + length);
  }
  return answers;
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}
