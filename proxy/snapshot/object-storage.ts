/** Snapshots in object storage: each proxy copies the published one to its own disk and serves it from there. */
import { createWriteStream } from 'node:fs';
import { access, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import {
  RELEASES,
  type ReleaseIndex,
  releaseIndexFile,
  snapshotPath,
  versionAt,
} from '../../pipeline/contract/published.ts';
import { writeAtomic } from '../../pipeline/lib/atomic-write.ts';
import { errorLine, UsageError } from '../../pipeline/lib/errors.ts';
import { inParallel } from '../../pipeline/lib/in-parallel.ts';
import { openClient } from '../../pipeline/lib/s3.ts';
import { parseReleaseIndex } from './earlier.ts';
import { parseS3 } from './s3-url.ts';
import { checkRelative, openSnapshot, parseManifest } from './snapshot.ts';
import { type Refusal, repeat } from './watch.ts';

export interface SnapshotMirror {
  /** A link to the copy, for `watchSnapshot`. */
  path: string;
  /** The published snapshot, if it could not be fetched intact. */
  refused(): Refusal | null;
  close(): Promise<void>;
}

export interface MirrorOptions {
  /** How often to check what is published; each check is a billed request. */
  pollMs?: number | undefined;
  /** How long to wait after a failure. */
  retryMs?: number;
  report: (line: string, cause: 'publication') => void;
}

const FETCHED_AT_ONCE = 16;
/** How long a replaced copy is kept: it is served until the new one is checked, and its last answers take longer. */
const REPLACED_MS = 120_000;

/**
 * Keeps a copy of the snapshot that the object `current` names, and a link `current` to it, in `folder`, which belongs
 * to this process alone. A snapshot is fetched into a temporary folder, checked against its manifest, and only then
 * linked. Credentials and endpoint come from the environment, as for all AWS tools (AWS_REGION, AWS_ACCESS_KEY_ID,
 * AWS_ENDPOINT_URL_S3 …).
 * @throws UsageError if there is neither a snapshot to fetch nor an earlier copy.
 */
export async function mirrorSnapshots(url: string, folder: string, options: MirrorOptions): Promise<SnapshotMirror> {
  const { pollMs = 5000, retryMs = 30_000, report } = options;
  const { bucket, prefix } = parseS3(url)!;
  const client = openClient();
  const path = join(folder, 'current');
  let etag: string | undefined;
  let refusal: (Refusal & { at: number }) | null = null;
  let sweeping: NodeJS.Timeout | undefined;
  /** Fetching of earlier versions, which starts once the current one is served. */
  let earlier = Promise.resolve();
  const stop = new AbortController();

  const get = async (name: string, ifNoneMatch?: string) => {
    const input = { Bucket: bucket, Key: prefix + name, ...(ifNoneMatch && { IfNoneMatch: ifNoneMatch }) };
    return client.send(new GetObjectCommand(input), { abortSignal: stop.signal });
  };
  const check = async () => {
    const pointer = await get('current', etag).catch((error) => {
      if (error.$metadata?.httpStatusCode === 304) return null;
      throw new Error(`${url}/current: ${errorLine(error)}`, { cause: error });
    });
    if (!pointer) return;
    const target = (await pointer.Body!.transformToString()).trim();
    if (versionAt(target) === null) throw new Error(`${url}/current does not contain snapshots/VERSION`);
    const have = await readlink(path).catch(() => null);
    if (have !== target) await fetchSnapshot(get, target, folder);
    const index = await fetchReleaseIndex(get, target, folder);
    if (index) earlier = earlier.then(() => fetchEarlier(get, index, folder, stop.signal, report));
    if (have !== target) {
      await pointTo(folder, target);
      clearTimeout(sweeping);
      sweeping = setTimeout(() => {
        sweep(folder).catch((error) =>
          report(`old copies in ${folder} could not be removed: ${errorLine(error)}`, 'publication'),
        );
      }, REPLACED_MS).unref();
    }
    etag = pointer.ETag;
  };
  const tryCheck = async () => {
    if (refusal && performance.now() - refusal.at < retryMs) return;
    try {
      await check();
      refusal = null;
    } catch (error) {
      if (stop.signal.aborted) return;
      const reason = errorLine(error);
      report(`cannot fetch a newer snapshot from ${url}: ${reason}`, 'publication');
      refusal = { directory: url, reason, at: performance.now() };
      throw error;
    }
  };

  await mkdir(join(folder, 'snapshots'), { recursive: true });
  await sweep(folder);
  await tryCheck().catch(async (error) => {
    await access(path).catch(() => {
      client.destroy();
      throw new UsageError(`no snapshot from ${url}: ${errorLine(error)}`, { cause: error });
    });
  });
  const checking = repeat(() => tryCheck().catch(() => {}), pollMs, stop.signal);

  return {
    path,
    refused: () => refusal && { directory: refusal.directory, reason: refusal.reason },
    async close() {
      stop.abort();
      clearTimeout(sweeping);
      await checking;
      await earlier;
      client.destroy();
    },
  };
}

type Get = (name: string) => Promise<GetObjectCommandOutput>;

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
      const { Body } = await get(`${target}/${name}`).catch((error) => {
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
  const name = releaseIndexFile(versionAt(target)!);
  const found = await get(`${RELEASES}/${name}`).catch((error) => {
    // Storage without permission to list answers 403 for objects that do not exist.
    if ([403, 404].includes(error.$metadata?.httpStatusCode)) return null;
    throw new Error(`${RELEASES}/${name}: ${errorLine(error)}`, { cause: error });
  });
  if (!found) return null;
  const text = await found.Body!.transformToString();
  const index = parseReleaseIndex(text, name);
  await inParallel(FETCHED_AT_ONCE, Object.keys(index.files), async (file) => {
    const body = await (await get(`${RELEASES}/${checkRelative(file)}`)).Body!.transformToByteArray();
    await writeAtomic(join(folder, RELEASES, file), body);
  });
  // The files are checked against the index when it is opened.
  await writeAtomic(join(folder, RELEASES, name), text);
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
  await writeAtomic(join(folder, RELEASES, releaseIndexFile(index.current)), JSON.stringify(index)).catch((error) => {
    report(`earlier versions were fetched but the index could not be rewritten: ${errorLine(error)}`, 'publication');
  });
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
  const index = current && releaseIndexFile(versionAt(current)!);
  const text = index && (await readFile(join(folder, RELEASES, index), 'utf8').catch(() => null));
  const earlier = text
    ? parseReleaseIndex(text, index).earlier.map(({ model_version }) => snapshotPath(model_version))
    : [];
  for (const name of await readdir(join(folder, 'snapshots'))) {
    const target = snapshotPath(name);
    const isKept = target === current || earlier.includes(target);
    if (versionAt(target) !== null && !isKept) await rm(join(folder, target), { recursive: true });
  }
}
