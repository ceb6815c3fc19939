/** Snapshots in object storage: each proxy copies the published one to its disk and serves it from there. */
import { createWriteStream } from 'node:fs';
import { access, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import {
  RELEASES_FOLDER,
  type ReleaseIndex,
  releaseIndexFile,
  snapshotPath,
  versionFromPointer,
} from '../../pipeline/contract/published.ts';
import { writeAtomic } from '../../pipeline/lib/atomic-write.ts';
import { errorLine, UsageError } from '../../pipeline/lib/errors.ts';
import { inParallel } from '../../pipeline/lib/in-parallel.ts';
import { deadline, openClient } from '../../pipeline/lib/s3.ts';
import { parseReleaseIndex } from './earlier.ts';
import { parseS3 } from './s3-url.ts';
import { checkRelative, openSnapshot, parseManifest } from './snapshot.ts';
import { type Refusal, repeat } from './watch.ts';

export interface MirrorOptions {
  /** How often to check what is published; each check is a billed request. */
  pollMs?: number | undefined;
  /** How long to wait after a failure. */
  retryMs?: number;
  report: (line: string, cause: 'publication') => void;
}

const FETCHED_AT_ONCE = 16;
/** How long a start waits for the storage if there is a copy to serve meanwhile. */
const START_MS = 5000;
/** How long a replaced copy is kept: it is served until the new one is checked, and its last answers take longer. */
const REPLACED_MS = 120_000;

/**
 * Keeps a copy of the snapshot that the object `current` names, and a link `current` to it, in a folder, which belongs
 * to this process alone. A snapshot is fetched into a temporary folder, checked against its manifest, and only then
 * linked. Credentials and endpoint come from the environment, as for all AWS tools (AWS_REGION, AWS_ACCESS_KEY_ID,
 * AWS_ENDPOINT_URL_S3 …).
 */
export class SnapshotMirror {
  /** A link to the copy, for `SnapshotWatcher`. */
  readonly path: string;
  readonly #url: string;
  readonly #folder: string;
  readonly #retryMs: number;
  readonly #report: MirrorOptions['report'];
  readonly #client = openClient();
  readonly #stop = new AbortController();
  #etag: string | undefined;
  #confirmedAt = Date.now();
  #refusal: (Refusal & { refusedAt: number }) | null = null;
  #sweeping: NodeJS.Timeout | undefined;
  #checking = Promise.resolve();
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
    await mkdir(join(folder, 'snapshots'), { recursive: true });
    await sweep(folder);
    const hasCopy = await access(mirror.path).then(
      () => true,
      () => false,
    );
    const first = mirror.#check().catch((error) => {
      if (hasCopy) return;
      mirror.#client.destroy();
      throw new UsageError(`no snapshot from ${url}: ${errorLine(error)}`, { cause: error });
    });
    await (hasCopy ? Promise.race([first, pause(START_MS, undefined, { ref: false })]) : first);
    const check = () => mirror.#check().catch(() => {});
    mirror.#checking = first.then(() => repeat(check, pollMs, mirror.#stop.signal));
    return mirror;
  }

  /** When the copy was last known to be what is published, or this mirror was opened. */
  confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** The published snapshot, if it could not be fetched intact. */
  refused(): Refusal | null {
    return this.#refusal && { directory: this.#refusal.directory, reason: this.#refusal.reason };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#sweeping);
    await this.#checking;
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
    const pointer = await this.#get('current', this.#etag)
      .then(async ({ ETag, Body }) => ({ etag: ETag, text: await Body!.transformToString() }))
      .catch((error) => {
        if (error.$metadata?.httpStatusCode === 304) return null;
        throw new Error(`${url}/current: ${errorLine(error)}`, { cause: error });
      });
    if (!pointer) return;
    const target = pointer.text.trim();
    if (versionFromPointer(target) === null) throw new Error(`${url}/current does not contain snapshots/VERSION`);
    const get: Get = (name, bytes) => this.#get(name, undefined, bytes);
    const isNew = (await readlink(this.path).catch(() => null)) !== target;
    if (isNew) await fetchSnapshot(get, target, folder);
    const index = await fetchReleaseIndex(get, target, folder);
    if (index) {
      this.#fetchingEarlier = this.#fetchingEarlier.then(() =>
        fetchEarlier(get, index, folder, this.#stop.signal, this.#report),
      );
    }
    if (isNew) {
      await pointTo(folder, target);
      this.#sweepLater();
    }
    this.#etag = pointer.etag;
  }

  #sweepLater(): void {
    clearTimeout(this.#sweeping);
    this.#sweeping = setTimeout(() => {
      sweep(this.#folder).catch((error) =>
        this.#report(`old copies in ${this.#folder} could not be removed: ${errorLine(error)}`, 'publication'),
      );
    }, REPLACED_MS).unref();
  }

  #get(name: string, ifNoneMatch?: string, bytes?: number): Promise<GetObjectCommandOutput> {
    const { bucket, prefix } = parseS3(this.#url)!;
    const input = { Bucket: bucket, Key: prefix + name, ...(ifNoneMatch && { IfNoneMatch: ifNoneMatch }) };
    const abortSignal = AbortSignal.any([this.#stop.signal, deadline(bytes)]);
    return this.#client.send(new GetObjectCommand(input), { abortSignal });
  }
}

type Get = (name: string, bytes?: number) => Promise<GetObjectCommandOutput>;

/** Fetches the snapshot at `target` into `folder` and checks all of it, so that it appears there only complete. */
async function fetchSnapshot(get: Get, target: string, folder: string, temporaryName = UNFINISHED): Promise<void> {
  const temporary = join(folder, temporaryName);
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  const text = await (await get(`${target}/manifest.json`)).Body!.transformToString();
  await inParallel(
    FETCHED_AT_ONCE,
    Object.entries(parseManifest(text, `${target}/manifest.json`).files),
    async ([name, { bytes }]) => {
      const file = join(temporary, checkRelative(name));
      await mkdir(dirname(file), { recursive: true });
      const { Body } = await get(`${target}/${name}`, bytes).catch((error) => {
        throw new Error(`${target}/${name}: ${errorLine(error)}`, { cause: error });
      });
      await pipeline(
        Body as Readable,
        async function* (chunks: AsyncIterable<Buffer>) {
          let length = 0;
          for await (const chunk of chunks) {
            length += chunk.length;
            if (length > bytes) throw new Error(`${target}/${name} has more than the ${bytes} bytes in the manifest`);
            yield chunk;
          }
        },
        createWriteStream(file),
      );
    },
  );
  await writeFile(join(temporary, 'manifest.json'), text);
  await openSnapshot(temporary);
  await rm(join(folder, target), { recursive: true, force: true });
  await rename(temporary, join(folder, target));
}

/** Fetches the release index that belongs to the snapshot at `target`; null if there is none. */
async function fetchReleaseIndex(get: Get, target: string, folder: string): Promise<ReleaseIndex | null> {
  const name = releaseIndexFile(versionFromPointer(target)!);
  const object = await get(`${RELEASES_FOLDER}/${name}`).catch((error) => {
    // Storage without permission to list answers 403 for objects that do not exist.
    if ([403, 404].includes(error.$metadata?.httpStatusCode)) return null;
    throw new Error(`${RELEASES_FOLDER}/${name}: ${errorLine(error)}`, { cause: error });
  });
  if (!object) return null;
  const text = await object.Body!.transformToString();
  const index = parseReleaseIndex(text, name);
  await inParallel(FETCHED_AT_ONCE, Object.keys(index.files), async (file) => {
    const body = await (await get(`${RELEASES_FOLDER}/${checkRelative(file)}`)).Body!.transformToByteArray();
    await writeAtomic(join(folder, RELEASES_FOLDER, file), body);
  });
  // The files are checked against the index when it is opened.
  await writeAtomic(join(folder, RELEASES_FOLDER, name), text);
  return index;
}

/** Fetches the listed versions that have no copy yet, then rewrites the index, so that the watcher picks them up. */
async function fetchEarlier(
  get: Get,
  index: ReleaseIndex,
  folder: string,
  stopped: AbortSignal,
  report: MirrorOptions['report'],
): Promise<void> {
  const present = new Set(await readdir(join(folder, 'snapshots')));
  const missing = index.earlier.filter(({ model_version }) => !present.has(model_version));
  for (const { model_version } of missing) {
    await fetchSnapshot(get, snapshotPath(model_version), folder, UNFINISHED_EARLIER).catch((error) => {
      if (!stopped.aborted)
        report(`${model_version} is listed as kept but could not be fetched: ${errorLine(error)}`, 'publication');
    });
  }
  if (missing.length === 0 || stopped.aborted) return;
  await writeAtomic(join(folder, RELEASES_FOLDER, releaseIndexFile(index.current)), JSON.stringify(index)).catch(
    (error) => {
      report(`earlier versions were fetched but the index could not be rewritten: ${errorLine(error)}`, 'publication');
    },
  );
}

/** The temporary name of a snapshot being fetched, and of a link being created. */
const UNFINISHED = '.fetching';
const UNFINISHED_EARLIER = '.fetching-earlier';

/** Points the link `current` in `folder` at `target`, atomically. */
async function pointTo(folder: string, target: string): Promise<void> {
  const temporary = join(folder, UNFINISHED);
  await rm(temporary, { recursive: true, force: true });
  await symlink(target, temporary);
  await rename(temporary, join(folder, 'current'));
}

/** Deletes the copies in `folder` that its link does not point to and that the release index does not list as kept. */
async function sweep(folder: string): Promise<void> {
  const current = await readlink(join(folder, 'current')).catch(() => null);
  const index = current && releaseIndexFile(versionFromPointer(current)!);
  const text = index && (await readFile(join(folder, RELEASES_FOLDER, index), 'utf8').catch(() => null));
  const earlier = text
    ? parseReleaseIndex(text, index).earlier.map(({ model_version }) => snapshotPath(model_version))
    : [];
  for (const name of await readdir(join(folder, 'snapshots'))) {
    const target = snapshotPath(name);
    const isKept = target === current || earlier.includes(target);
    if (versionFromPointer(target) !== null && !isKept) await rm(join(folder, target), { recursive: true });
  }
}
