import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ErrorCode } from '../pipeline/contract/errors.ts';
import type { Operation } from '../pipeline/contract/operations.ts';
import { type Coding, chooseCoding, matchesEtag } from './negotiation.ts';
import { type FaultCode, PROBLEM_TYPE, problem } from './problems.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

export interface Reply {
  status: number;
  headers: Record<string, string | number>;
  /** Text is latin1, a character a byte. */
  body: string | Buffer | Readable | null;
}

/** Headers of every answer. */
const COMMON = { vary: 'Accept-Encoding', 'x-content-type-options': 'nosniff' };

/**
 * A private cache may keep an answer but must ask again each time (a request that counts): so a revoked key never
 * reads on from a cache, and a new month's estimates are seen at once.
 */
const CACHE_CONTROL = 'private, no-cache';

export function problemReply(code: ErrorCode | FaultCode, requestId: string): Reply {
  const { status, body } = problem(code, requestId);
  const headers: Reply['headers'] = { ...COMMON, 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store' };
  headers['content-length'] = body.length;
  if (code === 'INVALID_KEY') headers['www-authenticate'] = 'Bearer';
  if (code === 'METHOD_NOT_ALLOWED') headers.allow = 'GET, HEAD';
  return { status, headers, body };
}

/** The prebuilt `file` of `snapshot` in the coding that the client likes best; 304 where it has those very bytes. */
export async function fileReply(
  operation: Operation,
  file: string,
  snapshot: Snapshot,
  request: { method: string; acceptEncoding: string | undefined; ifNoneMatch: string | undefined },
): Promise<Reply> {
  const coding: Coding = chooseCoding(request.acceptEncoding);
  const found = snapshot.files.get(file)![coding];
  const headers: Reply['headers'] = {
    ...COMMON,
    etag: found.etag,
    'cache-control': CACHE_CONTROL,
    'model-version': snapshot.manifest.model_version,
  };
  if (matchesEtag(request.ifNoneMatch, found.etag)) return { status: 304, headers, body: null };
  headers['content-type'] = operation.path.startsWith('/v1/boundaries/') ? 'application/geo+json' : 'application/json';
  headers['content-length'] = found.bytes;
  if (coding !== 'identity') headers['content-encoding'] = coding;
  if (request.method === 'HEAD') return { status: 200, headers, body: null };
  return { status: 200, headers, body: found.body ?? (await open(found.path)).createReadStream() };
}
