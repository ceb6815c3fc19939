import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { snapshotPath } from '../../pipeline/contract/published.ts';
import { errorLine } from '../../pipeline/lib/errors.ts';
import { openReleases, type Releases, releaseIndexIdentity, versionBefore } from './earlier.ts';
import { isTooManyOpen, openSnapshot, readChecked, type Snapshot } from './snapshot.ts';

/** A snapshot, and the release index beside it. */
export interface Served extends Snapshot {
  releases: Releases;
}

/** A snapshot that was found but not accepted. */
export interface Refusal {
  directory: string;
  reason: string;
}

export interface SnapshotSource {
  /** The snapshot to answer from; a request reads this once and keeps using it. */
  current(): Served;
  /** The published snapshot, if it is refused at present. */
  refused(): Refusal | null;
  /** What was found to be damaged in the snapshot being served, in a line; null while nothing is. */
  damaged(): string | null;
  close(): void | Promise<void>;
}

export interface WatchOptions {
  intervalMs?: number | undefined;
  /** How soon a refused snapshot is tried again, in case it was repaired in place. */
  retryMs?: number;
  /** How long it takes to check once all files that are not held in memory. */
  sweepMs?: number | undefined;
  /** Whether the version that was current before is served while the published one is damaged. */
  fallBack?: boolean | undefined;
  report: (line: string, cause?: 'publication' | 'snapshot') => void;
}

/**
 * Opens the snapshot at `path`, a directory or a link to one, and keeps checking whether another has been published
 * there. It polls, since file-system events do not work across links or on most network file systems, and a `stat` a
 * second costs nothing. A newer snapshot is checked in full before a single assignment switches to it; so is the
 * present one, once it was found to be damaged.
 * @throws Error, in one line, if there is no intact snapshot at the start.
 */
export async function watchSnapshot(path: string, options: WatchOptions): Promise<SnapshotSource> {
  const { intervalMs = 1000, retryMs = 30_000, sweepMs = 600_000, fallBack = false, report } = options;
  let snapshot: Served | null = null;
  /** Of the snapshot at `path` that is served; empty while none is. */
  let identity = '';
  let refusal: (Refusal & { identity: string; at: number }) | null = null;

  const isIntact = () => snapshot !== null && snapshot.damage.size === 0;
  const serve = async (directory: string, published: string) => {
    const opened = await openSnapshot(directory);
    const isFirst = snapshot === null;
    snapshot = { ...opened, releases: await openReleases(published, report, snapshot?.releases) };
    if (!isFirst || directory !== published) report(`now serving ${snapshot.model_version} from ${snapshot.directory}`);
  };
  const serveBefore = async () => {
    // Where the link points, even if nothing is there any more.
    const published = await realpath(path).catch(async () => resolve(dirname(path), await readlink(path)));
    const version = await versionBefore(await openReleases(published, report, snapshot?.releases));
    if (version === null) throw new Error('no other version was current before');
    await serve(join(dirname(dirname(published)), snapshotPath(version)), published);
    identity = '';
  };

  const check = async () => {
    const found = await readIdentity(path).catch((error) => `unreadable: ${errorLine(error)}`);
    if (found === identity && isIntact()) {
      refusal = null;
      return;
    }
    if (refusal?.identity === found && performance.now() - refusal.at < retryMs) return;
    try {
      // The index beside the same snapshot can change: a version was removed, or has arrived from object storage.
      if (snapshot && isIntact() && snapshotPart(found) === snapshotPart(identity)) {
        snapshot = { ...snapshot, releases: await openReleases(snapshot.directory, report, snapshot.releases) };
      } else {
        const directory = await realpath(path);
        await serve(directory, directory);
      }
      identity = found;
      refusal = null;
    } catch (error) {
      let reason = errorLine(error);
      const cause = isIntact() && identity !== '' ? 'publication' : 'snapshot';
      if (fallBack && !isIntact()) {
        await serveBefore().catch((failure) => {
          reason += `; cannot fall back: ${errorLine(failure)}`;
        });
      }
      refusal = { identity: found, at: performance.now(), directory: path, reason };
      if (snapshot === null) return;
      const instead = isIntact() ? `serving ${snapshot.model_version}` : 'out of service until it is mended';
      report(`refused the snapshot at ${path}: ${reason}; ${instead}`, cause);
    }
  };
  await check();
  if (snapshot === null) throw new Error(refusal!.reason);
  const stop = new AbortController();
  const current = () => snapshot!;
  repeat(check, intervalMs, stop.signal);
  sweep(current, sweepMs, stop.signal);

  return {
    current,
    refused: () => refusal && { directory: refusal.directory, reason: refusal.reason },
    damaged: () => current().damage.values().next().value ?? null,
    close: () => stop.abort(),
  };
}

/**
 * Checks the files that are not held in memory again and again, one at a time and each once in `ms`, so that damage is
 * found before a client asks for the file. Earlier versions are checked only as they are sent.
 */
async function sweep(current: () => Snapshot, ms: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { files, damage } = current();
    const onDisk = [...files.values()].flatMap(({ codings }) => [...codings.values()].filter(({ held }) => !held));
    for (const found of onDisk) {
      await pause(ms / onDisk.length, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted || current().files !== files) break;
      await readChecked(found.path, found.path, found).catch((error) => {
        if (!isTooManyOpen(error)) damage.set(found.path, errorLine(error));
      });
    }
    if (onDisk.length === 0) await pause(ms, undefined, { ref: false, signal }).catch(() => {});
  }
}

/** Does `work` every `ms`, once at a time, until `signal` aborts. @returns when the last time has ended */
export async function repeat(work: () => Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(ms, undefined, { ref: false, signal }).catch(() => {});
    if (!signal.aborted) await work();
  }
}

/** Changes whenever another snapshot is published at `path` or its release index is rewritten. */
async function readIdentity(path: string): Promise<string> {
  const root = await realpath(path);
  const { ino, size, mtimeNs } = await stat(join(root, 'manifest.json'), { bigint: true });
  return `${root} ${ino} ${size} ${mtimeNs}${INDEX}${await releaseIndexIdentity(root)}`;
}

const INDEX = '; index ';
const snapshotPart = (identity: string) => identity.split(INDEX)[0];
