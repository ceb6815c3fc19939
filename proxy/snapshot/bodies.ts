/** The files of a snapshot as they are sent, and how much of them is held in memory. */
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FileEntry } from '../../pipeline/contract/manifest.ts';
import type { Operation } from '../../pipeline/contract/operations.ts';
import { type HeaderLines, headerLines, joined } from '../head.ts';
import type { Coding } from '../negotiation.ts';

/** Exactly these bytes of one file in one coding, read from the file `name` of the snapshot where they are not held. */
export interface Representation {
  bytes: number;
  etag: string;
  name: string;
  shared: Shared;
  /** Made when first asked for: most files of a snapshot never are. */
  lines: Lines | null;
  held: string | Buffer | null;
}

/** What all files of one operation in one coding have alike. */
export interface Shared {
  directory: string;
  version: HeaderLines;
  type: HeaderLines;
}

interface Lines {
  /** What tells these bytes from others; all that a 304 repeats. */
  validators: HeaderLines;
  all: HeaderLines;
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

export function sharedBy(operation: Operation, coding: Coding, directory: string, modelVersion: string): Shared {
  const type = operation.path.startsWith('/v1/boundaries/') ? 'application/geo+json' : 'application/json';
  const encoding = coding === 'identity' ? [] : ['content-encoding', coding];
  return {
    directory,
    version: headerLines('cache-control', CACHE_CONTROL, 'model-version', modelVersion),
    type: headerLines('content-type', type, ...encoding),
  };
}

export function representation(name: string, { bytes, etag }: FileEntry, shared: Shared): Representation {
  return { bytes, etag, name, shared, lines: null, held: null };
}

export function pathOf({ name, shared }: Representation): string {
  return join(shared.directory, name);
}

export function linesOf(found: Representation): Lines {
  if (found.lines === null) {
    const { etag, bytes, shared } = found;
    const validators = joined(headerLines('etag', etag), shared.version);
    const all = joined(validators, shared.type, headerLines('content-length', String(bytes)));
    found.lines = { validators, all };
  }
  return found.lines;
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
