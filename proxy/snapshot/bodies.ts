/** The files of a snapshot as they are sent, and how much of them is held in memory. */
import { gunzipSync } from 'node:zlib';
import type { FileEntry } from '../../pipeline/contract/manifest.ts';
import type { Operation } from '../../pipeline/contract/operations.ts';
import { type HeaderLines, headerLines } from '../head.ts';
import type { Coding } from '../negotiation.ts';

/** Exactly these bytes of one file in one coding, read from `path` where they are not held. */
export interface Representation {
  bytes: number;
  etag: string;
  path: string;
  /** What tells these bytes from others; all that a 304 repeats. */
  validators: HeaderLines;
  lines: HeaderLines;
  held: string | Buffer | null;
}

export type ServedFile = Readonly<Record<Coding, Representation>> & { plainBodies: PlainBodies };

/** Larger files, packed or plain, are never held: each request streams them from disk. */
export const LARGEST_HELD_BYTES = 1 << 20;
/** Packed bodies of a snapshot are held, the smallest first, up to this much together. */
export const HELD_BYTES = 128 << 20;
/** Plain bodies asked for of late are held up to this much together, unpacked from the packed. */
const HELD_PLAIN_BYTES = 32 << 20;
/**
 * Up to this size a body is held as text, which Node sends in one piece with the head. At 1 KB that saves a tenth of a
 * request's time; at 8 KB the copying costs as much more than it saves.
 */
const AS_TEXT_BYTES = 4 << 10;

/**
 * A private cache may keep an answer but must ask again each time (a request that counts): so a revoked key never
 * reads on from a cache, and a new month's estimates are seen at once.
 */
const CACHE_CONTROL = 'private, no-cache';

export function representation(
  operation: Operation,
  coding: Coding,
  entry: FileEntry,
  path: string,
  modelVersion: string,
): Representation {
  const type = operation.path.startsWith('/v1/boundaries/') ? 'application/geo+json' : 'application/json';
  const validators = headerLines('etag', entry.etag, 'cache-control', CACHE_CONTROL, 'model-version', modelVersion);
  let lines = validators + headerLines('content-type', type, 'content-length', String(entry.bytes));
  if (coding !== 'identity') lines += headerLines('content-encoding', coding);
  return { bytes: entry.bytes, etag: entry.etag, path, validators, lines, held: null };
}

export function toBody(bytes: Buffer): string | Buffer {
  return bytes.length <= AS_TEXT_BYTES ? bytes.toString('latin1') : bytes;
}

/** Which plain bodies are held, oldest first, and their bytes together. */
export interface PlainBodies {
  held: Set<Representation>;
  bytes: number;
}

/** The body of `found`, one of the codings of `file`, if it is held or can be unpacked from what is; else null. */
export function bodyOf(file: ServedFile, found: Representation): string | Buffer | null {
  if (found.held !== null || found !== file.identity) return found.held;
  const packed = file.gzip.held;
  if (packed === null || found.bytes > LARGEST_HELD_BYTES) return null;
  found.held = toBody(gunzipSync(typeof packed === 'string' ? Buffer.from(packed, 'latin1') : packed));
  const { plainBodies } = file;
  plainBodies.held.add(found);
  plainBodies.bytes += found.bytes;
  for (const oldest of plainBodies.held) {
    if (plainBodies.bytes <= HELD_PLAIN_BYTES) break;
    plainBodies.held.delete(oldest);
    plainBodies.bytes -= oldest.bytes;
    oldest.held = null;
  }
  return found.held;
}
