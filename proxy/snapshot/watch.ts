import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lineOf } from '../../pipeline/lib/errors.ts';
import { openReleases, type Releases, releaseIndexIdentity } from './earlier.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';

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
  /** The newer snapshot that is refused at present, if any. */
  refused(): Refusal | null;
  close(): void | Promise<void>;
}

export interface WatchOptions {
  intervalMs?: number | undefined;
  /** How soon a refused snapshot is tried again, in case it was repaired in place. */
  retryMs?: number;
  report: (line: string) => void;
}

/**
 * Opens the snapshot at `path`, a directory or a link to one, and keeps checking whether another has been published
 * there. It polls, since file-system events do not work across links or on most network file systems, and a `stat` a
 * second costs nothing. A newer snapshot is checked in full before a single assignment switches to it.
 * @throws Error, in one line, if there is no intact snapshot at the start.
 */
export async function watchSnapshot(path: string, options: WatchOptions): Promise<SnapshotSource> {
  const { intervalMs = 1000, retryMs = 30_000, report } = options;
  const open = async (known?: Releases): Promise<Served> => {
    const opened = await openSnapshot(path);
    return { ...opened, releases: await openReleases(opened, report, known) };
  };
  let identity = await identityOf(path);
  let snapshot = await open();
  let refusal: (Refusal & { identity: string; at: number }) | null = null;

  const check = async () => {
    const found = await identityOf(path).catch((error) => `unreadable: ${lineOf(error)}`);
    if (found === identity) {
      refusal = null;
      return;
    }
    if (refusal?.identity === found && performance.now() - refusal.at < retryMs) return;
    try {
      // The index beside the same snapshot can change: a version was removed, or has arrived from object storage.
      const isSame = snapshotOf(found) === snapshotOf(identity);
      const { releases } = snapshot;
      snapshot = isSame
        ? { ...snapshot, releases: await openReleases(snapshot, report, releases) }
        : await open(releases);
      identity = found;
      refusal = null;
      if (!isSame) report(`now serving ${snapshot.model_version} from ${snapshot.directory}`);
    } catch (error) {
      const reason = lineOf(error);
      if (refusal?.identity !== found || refusal.reason !== reason) {
        report(`refused the snapshot at ${path}: ${reason}; still serving ${snapshot.model_version}`);
      }
      refusal = { identity: found, at: performance.now(), directory: path, reason };
    }
  };
  const stop = new AbortController();
  repeat(check, intervalMs, stop.signal);

  return {
    current: () => snapshot,
    refused: () => refusal && { directory: refusal.directory, reason: refusal.reason },
    close: () => stop.abort(),
  };
}

/** Does `work` every `ms`, once at a time, until `signal` aborts. @returns when the last time has ended */
export async function repeat(work: () => Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(ms, undefined, { ref: false, signal }).catch(() => {});
    if (!signal.aborted) await work();
  }
}

/** Changes whenever another snapshot is published at `path` or its release index is rewritten. */
async function identityOf(path: string): Promise<string> {
  const root = await realpath(path);
  const { ino, size, mtimeNs } = await stat(join(root, 'manifest.json'), { bigint: true });
  return `${root} ${ino} ${size} ${mtimeNs}${INDEX}${await releaseIndexIdentity(root)}`;
}

const INDEX = '; index ';
const snapshotOf = (identity: string) => identity.split(INDEX)[0];
