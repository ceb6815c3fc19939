import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { snapshotPath } from '../../pipeline/contract/published.ts';
import { errorLine } from '../../pipeline/lib/errors.ts';
import { findVersionBefore, openReleases, type Releases, releaseIndexIdentity } from './releases.ts';
import { isOpenFilesLimit, openSnapshot, readVerified, type Snapshot } from './snapshot.ts';

/** A snapshot, and the release index beside it. */
export interface ServedSnapshot extends Snapshot {
  releases: Releases;
}

/** A snapshot that was found but not accepted. */
export interface Refusal {
  directory: string;
  reason: string;
}

export interface SnapshotSource {
  /** The snapshot to answer from; a request reads this once and keeps using it. */
  current(): ServedSnapshot;
  /** The published snapshot, if it is refused at present. */
  refusal(): Refusal | null;
  /** When the snapshot being served was last known to be the one that is published, in milliseconds. */
  confirmedAt(): number;
  /** What was found to be damaged in the snapshot being served, in a line; null while nothing is. */
  damageLine(): string | null;
  close(): void | Promise<void>;
}

export interface WatchOptions {
  pollMs?: number | undefined;
  /** How soon a refused snapshot is tried again, in case it was repaired in place. */
  retryMs?: number;
  /** How long it takes to check once all files that are not held in memory. */
  fileCheckMs?: number | undefined;
  /** Whether the version that was current before is served while the published one is damaged. */
  fallBack?: boolean | undefined;
  report: (line: string, cause?: 'publication' | 'snapshot') => void;
}

/**
 * Opens the snapshot at a path, a directory or a link to one, and keeps checking whether another has been published
 * there. It polls, since file-system events do not work across links or on most network file systems. A newer snapshot
 * is checked in full before it is served, and so is the present one again once a file of it was found to be damaged.
 */
export class SnapshotWatcher implements SnapshotSource {
  readonly #path: string;
  readonly #retryMs: number;
  readonly #fallBack: boolean;
  readonly #report: WatchOptions['report'];
  readonly #stop = new AbortController();
  #snapshot: ServedSnapshot | null = null;
  /** What `readIdentity` returned for the snapshot being served; empty if it is not the one at the path. */
  #identity = '';
  #confirmedAt = Date.now();
  #refusal: (Refusal & { identity: string; refusedAt: number }) | null = null;

  private constructor(path: string, { retryMs = 30_000, fallBack = false, report }: WatchOptions) {
    this.#path = path;
    this.#retryMs = retryMs;
    this.#fallBack = fallBack;
    this.#report = report;
  }

  /** @throws Error, in one line, if there is no intact snapshot at the start. */
  static async open(path: string, options: WatchOptions): Promise<SnapshotWatcher> {
    const { pollMs = 1000, fileCheckMs = 600_000 } = options;
    const watcher = new SnapshotWatcher(path, options);
    await watcher.#check();
    if (watcher.#snapshot === null) throw new Error(watcher.#refusal!.reason);
    const { signal } = watcher.#stop;
    repeatUntilStopped(() => watcher.#check(), pollMs, signal);
    keepCheckingFiles(() => watcher.current(), fileCheckMs, signal);
    return watcher;
  }

  current(): ServedSnapshot {
    return this.#snapshot!;
  }

  refusal(): Refusal | null {
    return this.#refusal && { directory: this.#refusal.directory, reason: this.#refusal.reason };
  }

  confirmedAt(): number {
    return this.#confirmedAt;
  }

  damageLine(): string | null {
    return this.current().damage.values().next().value ?? null;
  }

  close(): void {
    this.#stop.abort();
  }

  #isServingIntact(): boolean {
    return this.#snapshot !== null && this.#snapshot.damage.size === 0;
  }

  async #check(): Promise<void> {
    const identity = await readIdentity(this.#path).catch((error) => `unreadable: ${errorLine(error)}`);
    if (identity === this.#identity && this.#isServingIntact()) return this.#confirm();
    const refusal = this.#refusal;
    if (refusal?.identity === identity && performance.now() - refusal.refusedAt < this.#retryMs) return;
    try {
      await this.#servePublished(identity);
      this.#identity = identity;
      this.#confirm();
    } catch (error) {
      await this.#refuse(identity, errorLine(error));
    }
  }

  #confirm(): void {
    this.#refusal = null;
    this.#confirmedAt = Date.now();
  }

  /** Serves what is at the path, which has another identity than what is served, or was damaged. */
  async #servePublished(identity: string): Promise<void> {
    const snapshot = this.#snapshot;
    // The index beside the same snapshot can change: a version was removed, or has arrived from object storage.
    if (snapshot && this.#isServingIntact() && snapshotPart(identity) === snapshotPart(this.#identity)) {
      const releases = await openReleases(snapshot.directory, this.#report, snapshot.releases);
      this.#snapshot = { ...snapshot, releases };
      return;
    }
    const directory = await realpath(this.#path);
    await this.#serve(directory, directory);
  }

  async #refuse(identity: string, publishedFault: string): Promise<void> {
    let reason = publishedFault;
    const cause = this.#isServingIntact() && this.#identity !== '' ? 'publication' : 'snapshot';
    if (this.#fallBack && !this.#isServingIntact()) {
      await this.#serveVersionBefore().catch((fallBackError) => {
        reason += `; cannot fall back: ${errorLine(fallBackError)}`;
      });
    }
    this.#refusal = { identity, refusedAt: performance.now(), directory: this.#path, reason };
    if (this.#snapshot === null) return;
    const consequence = this.#isServingIntact()
      ? `serving ${this.#snapshot.model_version}`
      : 'out of service until it is mended';
    this.#report(`refused the snapshot at ${this.#path}: ${reason}; ${consequence}`, cause);
  }

  /** Serves the snapshot in `directory`, with the release index beside the one in `publishedDirectory`. */
  async #serve(directory: string, publishedDirectory: string): Promise<void> {
    const snapshot = await openSnapshot(directory);
    const isFirst = this.#snapshot === null;
    const releases = await openReleases(publishedDirectory, this.#report, this.#snapshot?.releases);
    this.#snapshot = { ...snapshot, releases };
    if (!isFirst || directory !== publishedDirectory) {
      this.#report(`now serving ${snapshot.model_version} from ${snapshot.directory}`);
    }
  }

  /** Serves the version that was current before the published one. */
  async #serveVersionBefore(): Promise<void> {
    const path = this.#path;
    // Where the link points, even if nothing is there any more.
    const publishedDirectory = await realpath(path).catch(async () => resolve(dirname(path), await readlink(path)));
    const releases = await openReleases(publishedDirectory, this.#report, this.#snapshot?.releases);
    const version = await findVersionBefore(releases);
    if (version === null) throw new Error('no other version was current before');
    await this.#serve(join(dirname(dirname(publishedDirectory)), snapshotPath(version)), publishedDirectory);
    this.#identity = '';
  }
}

/**
 * Checks the files that are not held in memory again and again, one at a time and each once in `roundMs`, so that
 * damage is found before a client asks for the file. Earlier versions are checked only as they are sent.
 */
async function keepCheckingFiles(current: () => Snapshot, roundMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { files, damage } = current();
    const representations = [...files.values()].flatMap(({ codings }) => [...codings.values()]);
    const onDisk = representations.filter(({ content }) => content === null);
    for (const file of onDisk) {
      await pause(roundMs / onDisk.length, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted || current().files !== files) break;
      await readVerified(file.path, file.path, file).catch((error) => {
        if (!isOpenFilesLimit(error)) damage.set(file.path, errorLine(error));
      });
    }
    if (onDisk.length === 0) await pause(roundMs, undefined, { ref: false, signal }).catch(() => {});
  }
}

/** Runs `work` again `intervalMs` after it has ended, until `signal` aborts. */
export async function repeatUntilStopped(
  work: () => Promise<void>,
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(intervalMs, undefined, { ref: false, signal }).catch(() => {});
    if (!signal.aborted) await work();
  }
}

/** Changes whenever another snapshot is published at `path` or its release index is rewritten. */
async function readIdentity(path: string): Promise<string> {
  const root = await realpath(path);
  const { ino, size, mtimeNs } = await stat(join(root, 'manifest.json'), { bigint: true });
  return `${root} ${ino} ${size} ${mtimeNs}${INDEX_SEPARATOR}${await releaseIndexIdentity(root)}`;
}

const INDEX_SEPARATOR = '; index ';
const snapshotPart = (identity: string) => identity.split(INDEX_SEPARATOR)[0];
