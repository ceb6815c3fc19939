import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Check, Errors } from 'typebox/value';
import { ENCODINGS, type Encoding, etagOf, type FileEntry, Manifest } from '../../pipeline/contract/manifest.ts';
import { OPERATIONS, operationFiles } from '../../pipeline/contract/operations.ts';
import type { Coding } from '../negotiation.ts';
import { lineOf } from '../usage-error.ts';

/**
 * Exactly these bytes of one file in one coding. In memory where small, and where very small as text, a character a
 * byte (latin1): Node then sends head and body in one write, which a Buffer costs a second. Else read from `path`.
 */
export interface Representation {
  bytes: number;
  etag: string;
  path: string;
  body: string | Buffer | null;
}

/** An opened snapshot: what it covers, and every file that answers a request in every coding. */
export interface Snapshot {
  directory: string;
  manifest: Manifest;
  files: ReadonlyMap<string, Readonly<Record<Coding, Representation>>>;
}

/** Files up to this size are held in memory: all but a few outlines. */
const IN_MEMORY_BYTES = 1 << 20;
const AS_TEXT_BYTES = 1 << 16;
/** Files read at once while opening: enough to keep the disk busy, few enough to leave the event loop to requests. */
const READS_AT_ONCE = 16;

/**
 * Opens the snapshot at `directory` and checks all of it: the manifest against its schema, that every file an operation
 * can ask for is there in every coding, and each file's size and SHA-256.
 * @throws Error, one line, naming what is wrong.
 */
export async function openSnapshot(directory: string): Promise<Snapshot> {
  const root = await realpath(directory);
  const manifest = await readManifest(join(root, 'manifest.json'));
  const entries = new Map(Object.entries(manifest.files));
  const served = OPERATIONS.flatMap((operation) => operationFiles(operation, manifest.coverage));
  for (const file of served) {
    for (const suffix of ['', ...Object.values(ENCODINGS)]) {
      if (!entries.has(file + suffix))
        throw new Error(`manifest.json lists no ${file + suffix}, which its coverage needs`);
    }
  }
  const kept = new Set(served.flatMap((file) => [file, ...Object.values(ENCODINGS).map((suffix) => file + suffix)]));
  const representations = new Map<string, Representation>();
  const queue = entries.entries();
  const work = async () => {
    for (const [name, entry] of queue) {
      const path = join(root, checkRelative(name));
      const body = await readChecked(name, path, entry);
      if (kept.has(name)) representations.set(name, { bytes: entry.bytes, etag: entry.etag, path, body });
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, work));
  const inAllCodings = (file: string) => ({
    identity: representations.get(file)!,
    ...(Object.fromEntries(
      Object.entries(ENCODINGS).map(([coding, suffix]) => [coding, representations.get(file + suffix)!]),
    ) as Record<Encoding, Representation>),
  });
  return { directory: root, manifest, files: new Map(served.map((file) => [file, inAllCodings(file)])) };
}

async function readManifest(path: string): Promise<Manifest> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${lineOf(error)}`, { cause: error });
  }
  if (Check(Manifest, value)) return value;
  const [first] = Errors(Manifest, value);
  throw new Error(`manifest.json: ${first?.instancePath || 'the whole'} ${first?.message ?? 'is not as expected'}`);
}

/** `name` if it stays inside the snapshot. The manifest is trusted to be ours, not to be unharmed. */
function checkRelative(name: string): string {
  if (/^\/|\\|(^|\/)\.{0,2}(\/|$)/.test(name))
    throw new Error(`manifest.json lists ${JSON.stringify(name)}, not a plain relative path`);
  return name;
}

async function readChecked(name: string, path: string, entry: FileEntry): Promise<Representation['body']> {
  const size = await stat(path).then(
    (found) => found.size,
    () => {
      throw new Error(`${name} is missing`);
    },
  );
  if (size !== entry.bytes) throw new Error(`${name} has ${size} bytes, the manifest says ${entry.bytes}`);
  const body = size <= IN_MEMORY_BYTES ? await readFile(path) : null;
  const sha256 = body ? hash('sha256', body) : await hashFile(path);
  if (sha256 !== entry.sha256) throw new Error(`${name} has SHA-256 ${sha256}, the manifest says ${entry.sha256}`);
  if (entry.etag !== etagOf(sha256)) throw new Error(`${name} has an ETag that is not its hash's: ${entry.etag}`);
  return body && size <= AS_TEXT_BYTES ? body.toString('latin1') : body;
}

async function hashFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  return digest.digest('hex');
}
