/** The heads of answers, as text. */
import { type ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';

/** Header lines as they are sent, each with its end: `etag: "x"\r\nvary: Origin\r\n`. */
export type HeaderLines = string;

/** The lines of names and values in turn. @throws TypeError where one holds what none may, such as a line's end */
export function headerLines(...pairs: string[]): HeaderLines {
  const parts: string[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const [name, value] = [pairs[i]!, pairs[i + 1]!];
    validateHeaderName(name);
    validateHeaderValue(name, value);
    parts.push(name, ': ', value, '\r\n');
  }
  return joined(...parts);
}

/** `lines` as one piece of memory. What `+` gives is a tree of its parts, walked each time it is sent or its heap swept. */
export function joined(...lines: string[]): HeaderLines {
  return lines.join('');
}

/** What Node's own `writeHead` leaves in a response for `end` and `write` to go by. */
interface Written {
  _header: string;
  _hasBody: boolean;
  _last: boolean;
}

/**
 * Gives `response` its head; `lines` say its length, where it has a body.
 *
 * Node's own `writeHead` checks each header of each answer anew and joins it from four pieces, which takes 2 µs of a
 * request's 15, more than all of the proxy's checks. Most lines here are the same every time, and were checked as they
 * were made. Where Node keeps what it has joined is not documented, but as old as Node, and every test over HTTP would
 * tell of a change.
 */
export function writeHead(response: ServerResponse, status: number, lines: HeaderLines, keepAlive: HeaderLines): void {
  const written = response as unknown as Written;
  // The last already where the client has closed its side.
  const stays = response.shouldKeepAlive && !written._last;
  response.statusCode = status;
  written._header = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}${stays ? keepAlive : 'connection: close\r\n'}\r\n`;
  written._last = !stays;
  if (status === 204 || status === 304) written._hasBody = false;
}

/** Gives the `date` line of a time (ms since 1970), made anew once a second. */
export function dateLines(): (wallMs: number) => HeaderLines {
  let [second, line] = [Number.NaN, ''];
  return (wallMs) => {
    const now = Math.floor(wallMs / 1000);
    if (now !== second) {
      second = now;
      line = headerLines('date', new Date(now * 1000).toUTCString());
    }
    return line;
  };
}
