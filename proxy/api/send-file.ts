/** The bytes of an answer, from memory or disk, in the coding that the client prefers, unless it has them already. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { pipeline, Transform } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { FileEntry } from '../../pipeline/contract/manifest.ts';
import { LINKS } from '../../pipeline/contract/operations.ts';
import { errorLine } from '../../pipeline/lib/errors.ts';
import {
  type Coding,
  type Damage,
  DamagedFile,
  isOpenFilesLimit,
  type Representation,
  readVerified,
  type ServedFile,
} from '../snapshot/snapshot.ts';
import { sendProblem } from './problems.ts';

/** Called with a line if an answer had to be cut short. */
type Report = (line: string, cause: 'snapshot') => void;

/** Answers with `file` in the coding that the client prefers, or a part of it, or 304 if the client already has it. */
export function sendFile(reply: FastifyReply, file: ServedFile, report: Report) {
  const { method, headers } = reply.request;
  const coding = chooseCoding(headers['accept-encoding'] as string | undefined, [...file.codings.keys()]);
  const representation = file.codings.get(coding)!;
  const { etag, bytes, content, path } = representation;
  // A cache may keep an answer but must revalidate it every time, so that a revoked key cannot continue to read it.
  const commonHeaders = { etag, 'cache-control': 'private, no-cache', ...file.headers };
  const ifMatch = headers['if-match'];
  // Compared strongly: a weak tag matches nothing (RFC 9110, 13.1.1).
  if (ifMatch !== undefined && !matchesEtag(ifMatch.replaceAll('W/', 'weak'), etag))
    return sendProblem(reply, 'PRECONDITION_FAILED');
  if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).headers(commonHeaders).send();
  const acceptsRanges = file.hasRanges && coding === 'identity';
  const range =
    acceptsRanges && method === 'GET'
      ? parseRange(headers.range, headers['if-range'] as string | undefined, representation)
      : null;
  if (range === 'beyond') return sendProblem(reply, 'RANGE_NOT_SATISFIABLE', { 'content-range': `bytes */${bytes}` });
  const { start, end } = range ?? { start: 0, end: bytes - 1 };
  const send = (body?: Buffer | Transform) => {
    reply.headers({ ...commonHeaders, link: LINKS, 'content-type': file.type, 'content-length': end - start + 1 });
    if (coding !== 'identity') reply.header('content-encoding', coding);
    if (acceptsRanges) reply.header('accept-ranges', 'bytes');
    if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${bytes}`);
    return reply.send(body);
  };
  if (method === 'HEAD') return send();
  if (content) return send(content.subarray(start, end + 1));
  const refuse = (error: NodeJS.ErrnoException) => {
    // A replaced version that was pruned since the proxy last checked.
    if (error.code === 'ENOENT' && file.headers.deprecation) return sendProblem(reply, 'UNKNOWN_VERSION');
    if (isOpenFilesLimit(error)) throw error;
    file.damage.set(path, errorLine(error));
    throw new DamagedFile(errorLine(error), { cause: error });
  };
  return openVerified(representation, { start, end }, file.damage, report).then(send, refuse);
}

/** Positions of bytes; `end` is included. */
interface ByteRange {
  start: number;
  end: number;
}

/**
 * The part that Range requests (RFC 9110, 14.2). Null for the complete file: without a Range, for several parts at
 * once, for another unit, or if If-Range names other bytes. `beyond` if the part begins after the end of the file.
 */
export function parseRange(
  rangeHeader = '',
  ifRangeHeader: string | undefined,
  { bytes, etag }: FileEntry,
): ByteRange | 'beyond' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(rangeHeader) ?? [];
  if ((first === '' && last === '') || (ifRangeHeader !== undefined && ifRangeHeader !== etag)) return null;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  return start < bytes ? { start, end } : 'beyond';
}

/**
 * A part of a file that is not held in memory. One that was found to be damaged is first checked in full.
 * @throws Error if it is damaged still, or its length differs from the manifest's
 */
async function openVerified(
  representation: Representation,
  range: ByteRange,
  damage: Damage,
  report: Report,
): Promise<Transform> {
  const { path, bytes } = representation;
  if (damage.has(path)) {
    await readVerified(path, path, representation);
    damage.delete(path);
  }
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    if (size !== bytes) throw new Error(`${path} has ${size} bytes, the manifest says ${bytes}`);
    const checking = verifyWhileSending(representation, range, damage, report);
    return pipeline(handle.createReadStream({ end: bytes - 1 }), checking, () => {});
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Holds back the last chunk of the part until all bytes of the file are known to match the manifest: if the file has
 * changed since it was opened, the client gets a truncated answer, never a wrong one.
 */
function verifyWhileSending(representation: Representation, range: ByteRange, damage: Damage, report: Report) {
  const { path, sha256 } = representation;
  const digest = createHash('sha256');
  let heldBack: Buffer | undefined;
  let position = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      const partOfChunk = chunk.subarray(Math.max(0, range.start - position), Math.max(0, range.end + 1 - position));
      position += chunk.length;
      if (partOfChunk.length === 0) return done();
      const previous = heldBack;
      heldBack = partOfChunk;
      done(null, previous);
    },
    flush(done) {
      if (digest.digest('hex') === sha256) return done(null, heldBack);
      const message = `${path} does not match its manifest`;
      damage.set(path, message);
      report(`${message}; the answer was cut short`, 'snapshot');
      done(new DamagedFile(message));
    },
  });
}

/**
 * The one of `codings` to answer in (RFC 9110, 12.5.3): that with the highest q, and on a tie the first. A client that
 * refuses every coding gets `identity` rather than an error, as the RFC allows.
 */
export function chooseCoding(acceptEncoding = '', codings: readonly Coding[]): Coding {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((field) => field.trim());
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const weight =
      quality === undefined ? 1 : Number(/^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(quality)?.[1] ?? 0);
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight);
  }
  // If it is not mentioned, identity is acceptable, but only if nothing that is mentioned is.
  const codingWeight = (coding: Coding) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? 1e-4 : 0);
  const preferred = codings.toSorted((a, b) => codingWeight(b) - codingWeight(a))[0]!;
  return codingWeight(preferred) > 0 ? preferred : 'identity';
}

/**
 * Whether If-None-Match, or If-Match, names `etag`, which contains no comma (RFC 9110, 13.1.2: a list or `*`, compared
 * weakly).
 */
export function matchesEtag(ifNoneMatch = '', etag: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || ifNoneMatch.trim() === '*';
}
