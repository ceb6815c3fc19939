import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ErrorCode } from '../pipeline/contract/errors.ts';
import type { Awaitable } from './clock.ts';
import type { Headers } from './headers.ts';
import { chooseCoding, matchesEtag } from './negotiation.ts';
import { type FaultCode, PROBLEM_TYPE, problem } from './problems.ts';
import { bodyOf, type Representation, type ServedFile } from './snapshot/bodies.ts';

export interface Reply {
  status: number;
  headers: Headers;
  /** Text is latin1, a character a byte. */
  body: string | Buffer | Readable | null;
}

/** `retrySeconds`: when to ask again, where that is known. */
export function problemReply(code: ErrorCode | FaultCode, requestId: string, retrySeconds?: number): Reply {
  const { status, body } = problem(code, requestId);
  const headers = ['content-type', PROBLEM_TYPE, 'cache-control', 'no-store', 'content-length', String(body.length)];
  if (code === 'INVALID_KEY') headers.push('www-authenticate', 'Bearer');
  if (retrySeconds !== undefined) headers.push('retry-after', String(retrySeconds));
  if (code === 'METHOD_NOT_ALLOWED') headers.push('allow', 'GET, HEAD');
  return { status, headers, body };
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
  if (matchesEtag(ifNoneMatch, found.etag)) return { status: 304, headers: found.validators, body: null };
  const { headers } = found;
  if (method === 'HEAD') return { status: 200, headers, body: null };
  const body = bodyOf(file, found);
  if (body !== null) return { status: 200, headers, body };
  return openWhole(found).then((opened) => ({ status: 200, headers, body: opened }));
}

/** The bytes of a file that is still as long as it was: fewer or more would run into the next answer on the connection. */
async function openWhole({ path, bytes }: Representation): Promise<Readable> {
  const handle = await open(path);
  const { size } = await handle.stat();
  if (size === bytes) return handle.createReadStream();
  await handle.close();
  throw new Error(`${path} has ${size} bytes, the manifest says ${bytes}`);
}
