import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Check, Errors } from 'typebox/value';
import { ENCODINGS, type Encoding, etagOf, type FileEntry, Manifest } from '../../pipeline/contract/manifest.ts';
import { type Coverage, OPERATIONS, operationFiles } from '../../pipeline/contract/operations.ts';
import { inParallel } from '../in-parallel.ts';
import type { Coding } from '../negotiation.ts';
import { lineOf } from '../usage-error.ts';
import {
  HELD_BYTES,
  LARGEST_HELD_BYTES,
  type Representation,
  representation,
  type ServedFile,
  sharedBy,
  toBody,
} from './bodies.ts';

/** An opened snapshot: what it covers, and every file that answers a request in every coding. */
export interface Snapshot {
  directory: string;
  model_version: string;
  coverage: Coverage;
  files: ReadonlyMap<string, ServedFile>;
}

/** Files read at once while opening: enough to keep the disk busy, few enough to leave the event loop to requests. */
const AT_ONCE = 16;
const PACKED = Object.keys(ENCODINGS) as Encoding[];
const unpack = promisify(gunzip);

/**
 * Opens the snapshot at `directory` and checks all of it: the manifest against its schema, that every file an operation
 * can ask for is there in every coding, each file's size and SHA-256, and that each gzip that is held unpacks to the plain file.
 * @throws Error, one line, naming what is wrong.
 */
export async function openSnapshot(directory: string): Promise<Snapshot> {
  const root = await realpath(directory);
  const manifest = await readManifest(join(root, 'manifest.json'));
  const files = describeFiles(root, manifest);
  const packed = [...files.values()]
    .flatMap((file) => PACKED.map((coding) => file[coding]))
    .filter(({ bytes }) => bytes <= LARGEST_HELD_BYTES)
    .sort((a, b) => a.bytes - b.bytes);
  let room = HELD_BYTES;
  const toHold = new Set<string>();
  for (const { name, bytes } of packed) {
    room -= bytes;
    if (room >= 0) toHold.add(name);
  }

  const held = new Map<string, Buffer>();
  await inParallel(AT_ONCE, Object.entries(manifest.files), async ([name, entry]) => {
    const bytes = await readChecked(name, join(root, checkRelative(name)), entry);
    if (bytes && toHold.has(name)) held.set(name, bytes);
  });
  await inParallel(AT_ONCE, files, async ([name, file]) => {
    const gzip = held.get(file.gzip.name);
    if (gzip) await checkUnpacks(name, gzip, manifest.files[name]!);
    for (const coding of PACKED) {
      const bytes = held.get(file[coding].name);
      if (bytes) file[coding].held = toBody(bytes);
    }
  });
  const { model_version, coverage } = manifest;
  return { directory: root, model_version, coverage, files };
}

/** Every file that an operation can ask for, in every coding, none of it read yet. */
function describeFiles(root: string, manifest: Manifest): Map<string, ServedFile> {
  const plainBodies = { held: new Set<Representation>(), bytes: 0 };
  const files = new Map<string, ServedFile>();
  for (const operation of OPERATIONS) {
    const shared = (coding: Coding) => sharedBy(operation, coding, root, manifest.model_version);
    const common = { identity: shared('identity'), gzip: shared('gzip'), br: shared('br') };
    for (const file of operationFiles(operation, manifest.coverage)) {
      const describe = (coding: Coding, suffix: string) => {
        const entry = manifest.files[file + suffix];
        if (!entry) throw new Error(`manifest.json lists no ${file + suffix}, which its coverage needs`);
        return representation(file + suffix, entry, common[coding]);
      };
      files.set(file, {
        identity: describe('identity', ''),
        gzip: describe('gzip', ENCODINGS.gzip),
        br: describe('br', ENCODINGS.br),
        plainBodies,
      });
    }
  }
  return files;
}

async function readManifest(path: string): Promise<Manifest> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw new Error(`${path} cannot be read: ${lineOf(error)}`, { cause: error });
  });
  return parseManifest(text, path);
}

/** The manifest that `text`, read from `path`, is. @throws Error, one line, where it is none. */
export function parseManifest(text: string, path: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${lineOf(error)}`, { cause: error });
  }
  if (Check(Manifest, value)) return value;
  const [first] = Errors(Manifest, value);
  throw new Error(`manifest.json: ${first?.instancePath || 'the whole'} ${first?.message ?? 'is not as expected'}`);
}

/** `name` if it stays inside the snapshot. The manifest is trusted to be ours, not to be unharmed. */
export function checkRelative(name: string): string {
  if (/^\/|\\|(^|\/)\.{0,2}(\/|$)/.test(name))
    throw new Error(`manifest.json lists ${JSON.stringify(name)}, not a plain relative path`);
  return name;
}

/** The bytes of a file that is as `entry` says; null where it is too large to be held. */
async function readChecked(name: string, path: string, entry: FileEntry): Promise<Buffer | null> {
  const size = await stat(path).then(
    (found) => found.size,
    () => {
      throw new Error(`${name} is missing`);
    },
  );
  if (size !== entry.bytes) throw new Error(`${name} has ${size} bytes, the manifest says ${entry.bytes}`);
  const bytes = size <= LARGEST_HELD_BYTES ? await readFile(path) : null;
  const sha256 = bytes ? hash('sha256', bytes) : await hashFile(path);
  if (sha256 !== entry.sha256) throw new Error(`${name} has SHA-256 ${sha256}, the manifest says ${entry.sha256}`);
  if (entry.etag !== etagOf(sha256)) throw new Error(`${name} has an ETag that is not its hash's: ${entry.etag}`);
  return bytes;
}

/** Plain bodies are unpacked from the gzip that is held, so it must hold them. */
async function checkUnpacks(name: string, gzip: Buffer, plain: FileEntry): Promise<void> {
  if (plain.bytes > LARGEST_HELD_BYTES) return;
  const sha256 = await unpack(gzip, { maxOutputLength: plain.bytes + 1 }).then(
    (bytes) => hash('sha256', bytes),
    lineOf,
  );
  if (sha256 !== plain.sha256) throw new Error(`${name}${ENCODINGS.gzip} does not unpack to ${name}`);
}

async function hashFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  return digest.digest('hex');
}
