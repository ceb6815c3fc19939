/** The bytes of an answer: which coding the client prefers, whether it has them already, and where they come from. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { pipeline, Transform } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { CODINGS, type Coding, type Representation, type ServedFile } from '../snapshot/snapshot.ts';

/** Answers with `file` in the coding the client prefers, or 304 if it already has those bytes. */
export function sendFile(reply: FastifyReply, file: ServedFile, report: (line: string) => void) {
  const { method, headers } = reply.request;
  const coding = chooseCoding(headers['accept-encoding'] as string | undefined);
  const found = file.codings[coding];
  // A cache may keep an answer but must revalidate it every time, so that a revoked key cannot go on reading it.
  const common = { etag: found.etag, 'cache-control': 'private, no-cache', 'model-version': file.modelVersion };
  if (matchesEtag(headers['if-none-match'], found.etag)) return reply.code(304).headers(common).send();
  const send = (body?: Buffer | Transform) => {
    reply.headers({ ...common, 'content-type': file.type, 'content-length': found.bytes });
    if (coding !== 'identity') reply.header('content-encoding', coding);
    return reply.send(body);
  };
  if (method === 'HEAD') return send();
  return found.held ? send(found.held) : openChecked(found, report).then(send);
}

/** The bytes of a file that is not held in memory. @throws Error if its length differs from the manifest's. */
async function openChecked(found: Representation, report: (line: string) => void): Promise<Transform> {
  const { path, bytes } = found;
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    if (size !== bytes) throw new Error(`${path} has ${size} bytes, the manifest says ${bytes}`);
    return pipeline(handle.createReadStream({ end: bytes - 1 }), verifyWhileSending(found, report), () => {});
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Holds back the last chunk until all bytes are known to match the manifest: if the file has changed since it was
 * opened, the client gets a truncated answer, never a wrong one.
 */
function verifyWhileSending({ path, sha256 }: Representation, report: (line: string) => void): Transform {
  const digest = createHash('sha256');
  let last: Buffer | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      const before = last;
      last = chunk;
      done(null, before);
    },
    flush(done) {
      if (digest.digest('hex') === sha256) return done(null, last);
      report(`${path} does not match its manifest; the answer was cut short`);
      done(new Error(`${path} has changed`));
    },
  });
}

/**
 * The coding to answer in (RFC 9110, 12.5.3): the highest q, and on a tie the smaller file. A client that refuses every
 * coding gets `identity` rather than an error, as the RFC allows.
 */
export function chooseCoding(acceptEncoding = ''): Coding {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const weight = q === undefined ? 1 : Number(/^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(q)?.[1] ?? 0);
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight);
  }
  // Unmentioned, identity is acceptable, but only if nothing named is.
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? 1e-4 : 0);
  const best = CODINGS.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a));
  return weightOf(best) > 0 ? best : 'identity';
}

/** Whether If-None-Match names `etag`, which has no comma (RFC 9110, 13.1.2: a list or `*`, compared weakly). */
export function matchesEtag(ifNoneMatch = '', etag: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || ifNoneMatch.trim() === '*';
}
