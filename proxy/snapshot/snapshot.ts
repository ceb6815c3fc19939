import { hash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Check, Errors } from 'typebox/value';
import { ENCODINGS, type Encoding, type FileEntry, Manifest, strongEtag } from '../../pipeline/contract/manifest.ts';
import {
  type Coverage,
  exampleValues,
  isEncoded,
  OPERATIONS,
  operationFiles,
} from '../../pipeline/contract/operations.ts';
import { hasScores } from '../../pipeline/contract/products.ts';
import type { Territory } from '../../pipeline/contract/territory.ts';
import { errorLine } from '../../pipeline/lib/errors.ts';
import { sha256File } from '../../pipeline/lib/hash.ts';
import { inParallel } from '../../pipeline/lib/in-parallel.ts';

export type Coding = Encoding | 'identity';

/** A file in one coding. */
export interface Representation extends FileEntry {
  path: string;
  /** Null if it is read from disk for each request. */
  content: Buffer | null;
}

/** What is wrong with the files of a version that were found to be damaged since it was opened, by path. */
export type Damage = Map<string, string>;

/** A file that answers an operation, in every coding. */
export interface ServedFile {
  type: string;
  /** Headers that every answer of its version carries. */
  headers: Readonly<Record<string, string>>;
  damage: Damage;
  /** Whether parts of it can be requested. */
  hasRanges: boolean;
  /** Smallest first: if a client prefers several equally, the first is sent. Compressed formats have identity alone. */
  codings: ReadonlyMap<Coding, Representation>;
}

/** An opened snapshot: its coverage, and every file that an operation can need. */
export interface Snapshot {
  directory: string;
  model_version: string;
  /** When its data was last updated (ms since 1970). */
  updatedAt: number;
  coverage: Coverage;
  /** What its country calls its areas. */
  territory: Territory;
  files: ReadonlyMap<string, ServedFile>;
  damage: Damage;
}

/** Files read at once while opening: enough to keep the disk busy, few enough to leave time for requests. */
const CHECKED_AT_ONCE = 16;
/** Larger files are not kept in memory; each request reads them from disk. */
export const LARGEST_IN_MEMORY_BYTES = 1 << 20;
/** Files of a snapshot are kept in memory, smallest first, up to this total. */
const MEMORY_BYTES = 128 << 20;

/**
 * Opens the snapshot at `directory` and checks all of it: that the manifest matches its schema, that every file that an
 * operation can need exists in every coding, and each file's size and SHA-256.
 * @throws Error that states in one line what is wrong.
 */
export async function openSnapshot(directory: string): Promise<Snapshot> {
  const root = await realpath(directory);
  const manifest = await readManifest(join(root, 'manifest.json'));
  const damage: Damage = new Map();
  const files = listServedFiles(root, manifest, damage);
  const representations = [...files.values()].flatMap(({ codings }) => [...codings.values()]);
  const inMemory = new Map<string, Representation>();
  let remainingBytes = MEMORY_BYTES;
  for (const representation of representations.sort((a, b) => a.bytes - b.bytes)) {
    remainingBytes -= representation.bytes;
    if (representation.bytes <= LARGEST_IN_MEMORY_BYTES && remainingBytes >= 0)
      inMemory.set(representation.path, representation);
  }
  await inParallel(CHECKED_AT_ONCE, Object.entries(manifest.files), async ([name, entry]) => {
    const path = join(root, checkRelativePath(name));
    const bytes = await readVerified(name, path, entry);
    const representation = inMemory.get(path);
    if (representation) representation.content = bytes;
  });
  const { model_version, coverage, updated_at, territory } = manifest;
  return { directory: root, model_version, updatedAt: Date.parse(updated_at), coverage, territory, files, damage };
}

/**
 * Describes the snapshot at `directory` by its manifest alone; its answers carry `headers` too, and its files are read
 * when they are requested.
 * @throws Error that states in one line what is wrong.
 */
export async function openEarlierSnapshot(
  directory: string,
  headers: Record<string, string>,
): Promise<Pick<Snapshot, 'coverage' | 'files'>> {
  const manifest = await readManifest(join(directory, 'manifest.json'));
  return { coverage: manifest.coverage, files: listServedFiles(directory, manifest, new Map(), headers) };
}

/** Every file that an operation can need, in every coding; nothing is read yet. */
function listServedFiles(
  root: string,
  { coverage, files, model_version }: Manifest,
  damage: Damage,
  extraHeaders: Record<string, string> = {},
): Map<string, ServedFile> {
  const headers = { 'model-version': model_version, ...extraHeaders };
  const toRepresentation = (name: string): Representation => {
    const entry = files[name];
    if (!entry) throw new Error(`manifest.json does not list ${name}, which its coverage requires`);
    return { ...entry, path: join(root, name), content: null };
  };
  const namedFiles = OPERATIONS.flatMap((operation) =>
    operationFiles(operation, coverage, files).map((name): [string, ServedFile] => {
      const { type, response } = operation;
      const encodings = isEncoded(operation) ? (Object.entries(ENCODINGS) as [Encoding, string][]) : [];
      const codings = new Map<Coding, Representation>(
        encodings.map(([coding, extension]) => [coding, toRepresentation(name + extension)]),
      );
      codings.set('identity', toRepresentation(name));
      return [name, { type, headers, damage, hasRanges: response === null, codings }];
    }),
  );
  return new Map(namedFiles);
}

async function readManifest(path: string): Promise<Manifest> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw new Error(`${path} cannot be read: ${errorLine(error)}`, { cause: error });
  });
  return parseManifest(text, path);
}

/** The manifest in `text`, read from `path`. @throws Error, in one line, if it is not a manifest. */
export function parseManifest(text: string, path: string): Manifest {
  const value = parseJson(text, path);
  if (Check(Manifest, value)) return value;
  const [firstError] = Errors(Manifest, value);
  throw new Error(
    `manifest.json: ${firstError?.instancePath || 'the document'} ${firstError?.message ?? 'is not as expected'}`,
  );
}

/** The JSON value in `text`, read from `path`. @throws Error, in one line that names the file, if it is not JSON */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${errorLine(error)}`, { cause: error });
  }
}

/** `name`. @throws Error if it is not a relative path inside the snapshot: the manifest may be damaged. */
export function checkRelativePath(name: string): string {
  if (/^\/|\\|(^|\/)\.{0,2}(\/|$)/.test(name))
    throw new Error(`manifest.json lists ${JSON.stringify(name)}, which is not a plain relative path`);
  return name;
}

/** Checks a file against `entry`. @returns its bytes; null if it is too large to be held */
export async function readVerified(name: string, path: string, entry: FileEntry): Promise<Buffer | null> {
  const { size } = await stat(path).catch(() => {
    throw new Error(`${name} is missing`);
  });
  if (size !== entry.bytes) throw new Error(`${name} has ${size} bytes, the manifest says ${entry.bytes}`);
  const bytes = size <= LARGEST_IN_MEMORY_BYTES ? await readFile(path) : null;
  const sha256 = bytes ? hash('sha256', bytes) : await sha256File(path);
  if (sha256 !== entry.sha256) throw new Error(`${name} has SHA-256 ${sha256}, the manifest says ${entry.sha256}`);
  if (entry.etag !== strongEtag(sha256))
    throw new Error(`${name} has an ETag that does not match its hash: ${entry.etag}`);
  return bytes;
}

/** A file of a snapshot that is being served is damaged. */
export class DamagedFile extends Error {
  override name = 'Damaged';
}

/** Whether this process has too many open files, so that `error` says nothing about the file. */
export const isOpenFilesLimit = (error: unknown) =>
  ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');

/** The uncompressed bytes of a file, unchecked if they are not held; null if there is no such file. */
export async function readUncompressed(file: ServedFile | undefined): Promise<Buffer | null> {
  const representation = file?.codings.get('identity');
  return representation ? (representation.content ?? readFile(representation.path)) : null;
}

/** Address of an answer about one state for examples: scores if there are any. */
export function exampleAddress(
  { coverage, territory }: Pick<Snapshot, 'coverage' | 'territory'>,
  scope: 'risk_scores' | 'forecasts',
): string {
  const paths = hasScores(coverage)
    ? { risk_scores: 'risk/lgas', forecasts: 'forecasts/lgas' }
    : { risk_scores: 'context/lgas', forecasts: 'alerts' };
  return `/v1/${paths[scope]}?state=${exampleValues(coverage, territory).state}`;
}
