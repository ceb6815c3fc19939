import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ErrorCode } from '../pipeline/contract/errors.ts';
import type { Awaitable } from './clock.ts';
import { type HeaderLines, headerLines } from './head.ts';
import { chooseCoding, matchesEtag } from './negotiation.ts';
import { type FaultCode, PROBLEM_TYPE, problem } from './problems.ts';
import { bodyOf, linesOf, pathOf, type Representation, type ServedFile } from './snapshot/bodies.ts';

export interface Reply {
  status: number;
  /** What its head says besides what every answer's does. */
  lines: HeaderLines;
  /** Text is latin1, a character a byte. */
  body: string | Buffer | Readable | null;
}

/** `retrySeconds`: when to ask again, where that is known. */
export function problemReply(code: ErrorCode | FaultCode, requestId: string, retrySeconds?: number): Reply {
  const { status, body } = problem(code, requestId);
  const length = ['content-length', String(body.length)];
  let lines = headerLines('content-type', PROBLEM_TYPE, 'cache-control', 'no-store', ...length);
  if (code === 'INVALID_KEY') lines += headerLines('www-authenticate', 'Bearer');
  if (retrySeconds !== undefined) lines += headerLines('retry-after', String(retrySeconds));
  if (code === 'METHOD_NOT_ALLOWED') lines += headerLines('allow', 'GET, HEAD');
  return { status, lines, body };
}

/** What of a request decides in which form it gets a file. */
export interface Form {
  method: string;
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
}

/** The prebuilt `file` in the coding that the client likes best; 304 where it has those very bytes. */
export function fileReply(file: ServedFile, { method, acceptEncoding, ifNoneMatch }: Form): Awaitable<Reply> {
  const found = file[chooseCoding(acceptEncoding)];
  if (matchesEtag(ifNoneMatch, found.etag)) return { status: 304, lines: linesOf(found).validators, body: null };
  const { all: lines } = linesOf(found);
  if (method === 'HEAD') return { status: 200, lines, body: null };
  const body = bodyOf(file, found);
  if (body !== null) return { status: 200, lines, body };
  return openWhole(found).then((opened) => ({ status: 200, lines, body: opened }));
}

/** The bytes of a file that is still as long as it was: fewer or more would run into the next answer on the connection. */
async function openWhole(found: Representation): Promise<Readable> {
  const [path, { bytes }] = [pathOf(found), found];
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    if (size !== bytes) throw new Error(`${path} has ${size} bytes, the manifest says ${bytes}`);
    return handle.createReadStream();
  } catch (error) {
    await handle.close();
    throw error;
  }
}
