/** Snapshots in object storage: each proxy copies the published one to its disk and serves it from there. */
import { createWriteStream } from 'node:fs';
import { access, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import {
  parseS3Url,
  RELEASES_FOLDER,
  type ReleaseIndex,
  releaseIndexFile,
  snapshotPath,
  versionFromPointer,
} from '../../pipeline/contract/published.ts';
import { writeAtomic } from '../../pipeline/lib/atomic-write.ts';
import { errorLine, UsageError } from '../../pipeline/lib/errors.ts';
import { inParallel } from '../../pipeline/lib/in-parallel.ts';
import { makeDirectory } from '../../pipeline/lib/make-directory.ts';
import { deadlineSignal, openS3Client } from '../../pipeline/lib/s3.ts';
import { parseReleaseIndex } from './releases.ts';
import { checkRelativePath, openSnapshot, parseManifest } from './snapshot.ts';
import { type Refusal, repeatUntilStopped } from './watch.ts';

export interface MirrorOptions {
  /** How often to check what is published; each check is a billed request. */
  pollMs?: number | undefined;
  /** How long to wait after a failure. */
  retryMs?: number;
  report: (line: string, cause: 'publication') => void;
}

const FETCHED_AT_ONCE = 16;
/** How long `open` waits for the storage if there is a copy that can be served. */
const START_WAIT_MS = 5000;
/** How long a replaced copy is kept, since answers from it may still be in flight. */
const REPLACED_KEPT_MS = 120_000;

/**
 * Keeps a copy of the snapshot that the object `current` names, and a link `current` to it, in a folder, which belongs
 * to this process alone. A snapshot is fetched into a temporary folder, checked against its manifest, and only then
 * linked. Credentials and endpoint come from the environment, as for all AWS tools (AWS_REGION, AWS_ACCESS_KEY_ID,
 * AWS_ENDPOINT_URL_S3 …).
 */
export class SnapshotMirror {
  /** A link to the copy that is served. */
  readonly path: string;
  readonly #url: string;
  readonly #folder: string;
  readonly #retryMs: number;
  readonly #report: MirrorOptions['report'];
  readonly #client = openS3Client();
  readonly #stop = new AbortController();
  #etag: string | undefined;
  #confirmedAt = Date.now();
  #refusal: (Refusal & { refusedAt: number }) | null = null;
  #cleanupTimer: NodeJS.Timeout | undefined;
  #polling = Promise.resolve();
  /** Fetching of earlier versions, which starts once the current one is served. */
  #fetchingEarlier = Promise.resolve();

  private constructor(url: string, folder: string, { retryMs = 30_000, report }: MirrorOptions) {
    this.path = join(folder, 'current');
    this.#url = url;
    this.#folder = folder;
    this.#retryMs = retryMs;
    this.#report = report;
  }

  /** @throws UsageError if there is neither a snapshot to fetch nor an earlier copy. */
  static async open(url: string, folder: string, options: MirrorOptions): Promise<SnapshotMirror> {
    const { pollMs = 5000 } = options;
    const mirror = new SnapshotMirror(url, folder, options);
    makeDirectory(join(folder, 'snapshots'));
    await removeOldCopies(folder);
    const hasCopy = await access(mirror.path).then(
      () => true,
      () => false,
    );
    const firstCheck = mirror.#check().catch((error) => {
      if (hasCopy) return;
      mirror.#client.destroy();
      throw new UsageError(`no snapshot from ${url}: ${errorLine(error)}`, { cause: error });
    });
    await (hasCopy ? Promise.race([firstCheck, pause(START_WAIT_MS, undefined, { ref: false })]) : firstCheck);
    const check = () => mirror.#check().catch(() => {});
    mirror.#polling = firstCheck.then(() => repeatUntilStopped(check, pollMs, mirror.#stop.signal));
    return mirror;
  }

  /** When the copy was last known to be what is published, or this mirror was opened. */
  confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** The published snapshot, if it could not be fetched intact. */
  refusal(): Refusal | null {
    return this.#refusal && { directory: this.#refusal.directory, reason: this.#refusal.reason };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#cleanupTimer);
    await this.#polling;
    await this.#fetchingEarlier;
    this.#client.destroy();
  }

  /** Fetches what is published, unless it was just refused. */
  async #check(): Promise<void> {
    const refusal = this.#refusal;
    if (refusal && performance.now() - refusal.refusedAt < this.#retryMs) return;
    try {
      await this.#fetchPublished();
      this.#refusal = null;
      this.#confirmedAt = Date.now();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const reason = errorLine(error);
      this.#report(`cannot fetch a newer snapshot from ${this.#url}: ${reason}`, 'publication');
      this.#refusal = { directory: this.#url, reason, refusedAt: performance.now() };
      throw error;
    }
  }

  async #fetchPublished(): Promise<void> {
    const url = this.#url;
    const folder = this.#folder;
    const pointer = await this.#getObject('current', this.#etag)
      .then(async ({ ETag, Body }) => ({ etag: ETag, text: await Body!.transformToString() }))
      .catch((error) => {
        if (error.$metadata?.httpStatusCode === 304) return null;
        throw new Error(`${url}/current: ${errorLine(error)}`, { cause: error });
      });
    if (!pointer) return;
    const versionPath = pointer.text.trim();
    if (versionFromPointer(versionPath) === null) throw new Error(`${url}/current does not contain snapshots/VERSION`);
    const getObject: GetObject = (name, expectedBytes) => this.#getObject(name, undefined, expectedBytes);
    const isNew = (await readlink(this.path).catch(() => null)) !== versionPath;
    if (isNew) await fetchSnapshot(getObject, versionPath, folder);
    const index = await fetchReleaseIndex(getObject, versionPath, folder);
    if (index) {
      this.#fetchingEarlier = this.#fetchingEarlier.then(() =>
        fetchEarlierVersions(getObject, index, folder, this.#stop.signal, this.#report),
      );
    }
    if (isNew) {
      await linkCurrent(folder, versionPath);
      this.#scheduleCleanup();
    }
    this.#etag = pointer.etag;
  }

  #scheduleCleanup(): void {
    clearTimeout(this.#cleanupTimer);
    this.#cleanupTimer = setTimeout(() => {
      removeOldCopies(this.#folder).catch((error) =>
        this.#report(`old copies in ${this.#folder} could not be removed: ${errorLine(error)}`, 'publication'),
      );
    }, REPLACED_KEPT_MS).unref();
  }

  #getObject(name: string, ifNoneMatch?: string, expectedBytes?: number): Promise<GetObjectCommandOutput> {
    const { bucket, prefix } = parseS3Url(this.#url)!;
    const input = { Bucket: bucket, Key: prefix + name, ...(ifNoneMatch && { IfNoneMatch: ifNoneMatch }) };
    const abortSignal = AbortSignal.any([this.#stop.signal, deadlineSignal(expectedBytes)]);
    return this.#client.send(new GetObjectCommand(input), { abortSignal });
  }
}

type GetObject = (name: string, expectedBytes?: number) => Promise<GetObjectCommandOutput>;

/**
 * Fetches the snapshot at `versionPath` (snapshots/VERSION) into `folder` and checks all of it, so that it appears
 * there only complete.
 */
async function fetchSnapshot(
  getObject: GetObject,
  versionPath: string,
  folder: string,
  temporaryName = TEMPORARY_NAME,
): Promise<void> {
  const temporary = join(folder, temporaryName);
  const manifestPath = `${versionPath}/manifest.json`;
  await rm(temporary, { recursive: true, force: true });
  makeDirectory(temporary);
  const text = await (await getObject(manifestPath)).Body!.transformToString();
  const { files } = parseManifest(text, manifestPath);
  await inParallel(FETCHED_AT_ONCE, Object.entries(files), async ([name, { bytes }]) => {
    const object = `${versionPath}/${name}`;
    const file = join(temporary, checkRelativePath(name));
    makeDirectory(dirname(file));
    const { Body } = await getObject(object, bytes).catch((error) => {
      throw new Error(`${object}: ${errorLine(error)}`, { cause: error });
    });
    const limitLength = async function* (chunks: AsyncIterable<Buffer>) {
      let length = 0;
      for await (const chunk of chunks) {
        length += chunk.length;
        if (length > bytes) throw new Error(`${object} has more than the ${bytes} bytes in the manifest`);
        yield chunk;
      }
    };
    await pipeline(Body as Readable, limitLength, createWriteStream(file));
  });
  await writeFile(join(temporary, 'manifest.json'), text);
  await openSnapshot(temporary);
  await rm(join(folder, versionPath), { recursive: true, force: true });
  await rename(temporary, join(folder, versionPath));
}

/** Fetches the release index that belongs to the snapshot at `versionPath`; null if there is none. */
async function fetchReleaseIndex(
  getObject: GetObject,
  versionPath: string,
  folder: string,
): Promise<ReleaseIndex | null> {
  const name = releaseIndexFile(versionFromPointer(versionPath)!);
  const object = await getObject(`${RELEASES_FOLDER}/${name}`).catch((error) => {
    // Storage without permission to list answers 403 for objects that do not exist.
    if ([403, 404].includes(error.$metadata?.httpStatusCode)) return null;
    throw new Error(`${RELEASES_FOLDER}/${name}: ${errorLine(error)}`, { cause: error });
  });
  if (!object) return null;
  const text = await object.Body!.transformToString();
  const index = parseReleaseIndex(text, name);
  await inParallel(FETCHED_AT_ONCE, Object.keys(index.files), async (file) => {
    const body = await (await getObject(`${RELEASES_FOLDER}/${checkRelativePath(file)}`)).Body!.transformToByteArray();
    await writeAtomic(join(folder, RELEASES_FOLDER, file), body);
  });
  // The files are checked against the index when it is opened.
  await writeAtomic(join(folder, RELEASES_FOLDER, name), text);
  return index;
}

/** Fetches the listed versions that have no copy yet, then rewrites the index, so that the watcher picks them up. */
async function fetchEarlierVersions(
  getObject: GetObject,
  index: ReleaseIndex,
  folder: string,
  stopSignal: AbortSignal,
  report: MirrorOptions['report'],
): Promise<void> {
  const existingNames = new Set(await readdir(join(folder, 'snapshots')));
  const missingVersions = index.earlier.filter(({ model_version }) => !existingNames.has(model_version));
  for (const { model_version } of missingVersions) {
    await fetchSnapshot(getObject, snapshotPath(model_version), folder, EARLIER_TEMPORARY_NAME).catch((error) => {
      if (!stopSignal.aborted)
        report(`${model_version} is listed as kept but could not be fetched: ${errorLine(error)}`, 'publication');
    });
  }
  if (missingVersions.length === 0 || stopSignal.aborted) return;
  const indexFile = join(folder, RELEASES_FOLDER, releaseIndexFile(index.current));
  await writeAtomic(indexFile, JSON.stringify(index)).catch((error) => {
    report(`earlier versions were fetched but the index could not be rewritten: ${errorLine(error)}`, 'publication');
  });
}

/** The temporary name of a snapshot being fetched, and of a link being created. */
const TEMPORARY_NAME = '.fetching';
const EARLIER_TEMPORARY_NAME = '.fetching-earlier';

/** Points the link `current` in `folder` at `versionPath`, atomically. */
async function linkCurrent(folder: string, versionPath: string): Promise<void> {
  const temporary = join(folder, TEMPORARY_NAME);
  await rm(temporary, { recursive: true, force: true });
  await symlink(versionPath, temporary);
  await rename(temporary, join(folder, 'current'));
}

/** Deletes the copies in `folder` that its link does not point to and that the release index does not list as kept. */
async function removeOldCopies(folder: string): Promise<void> {
  const current = await readlink(join(folder, 'current')).catch(() => null);
  const index = current && releaseIndexFile(versionFromPointer(current)!);
  const text = index && (await readFile(join(folder, RELEASES_FOLDER, index), 'utf8').catch(() => null));
  const earlier = text
    ? parseReleaseIndex(text, index).earlier.map(({ model_version }) => snapshotPath(model_version))
    : [];
  for (const name of await readdir(join(folder, 'snapshots'))) {
    const versionPath = snapshotPath(name);
    const isKept = versionPath === current || earlier.includes(versionPath);
    if (versionFromPointer(versionPath) !== null && !isKept) await rm(join(folder, versionPath), { recursive: true });
  }
}
