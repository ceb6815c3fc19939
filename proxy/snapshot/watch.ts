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
  /** When the snapshot being served was last known to be the one that is published, in milliseconds. */
  confirmedAt(): number;
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
 * Opens the snapshot at a path, a directory or a link to one, and keeps checking whether another has been published
 * there. It polls, since file-system events do not work across links or on most network file systems, and a `stat` a
 * second costs nothing. A newer snapshot is checked in full before a single assignment switches to it; so is the
 * present one, once it was found to be damaged.
 */
export class SnapshotWatcher implements SnapshotSource {
  readonly #path: string;
  readonly #retryMs: number;
  readonly #fallBack: boolean;
  readonly #report: WatchOptions['report'];
  readonly #stop = new AbortController();
  #snapshot: Served | null = null;
  /** Of the snapshot at the path, if it is the one that is served; empty while it is not. */
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
    const { intervalMs = 1000, sweepMs = 600_000 } = options;
    const watcher = new SnapshotWatcher(path, options);
    await watcher.#check();
    if (watcher.#snapshot === null) throw new Error(watcher.#refusal!.reason);
    const { signal } = watcher.#stop;
    repeat(() => watcher.#check(), intervalMs, signal);
    sweep(() => watcher.current(), sweepMs, signal);
    return watcher;
  }

  current(): Served {
    return this.#snapshot!;
  }

  refused(): Refusal | null {
    return this.#refusal && { directory: this.#refusal.directory, reason: this.#refusal.reason };
  }

  confirmedAt(): number {
    return this.#confirmedAt;
  }

  damaged(): string | null {
    return this.current().damage.values().next().value ?? null;
  }

  close(): void {
    this.#stop.abort();
  }

  #isIntact(): boolean {
    return this.#snapshot !== null && this.#snapshot.damage.size === 0;
  }

  async #check(): Promise<void> {
    const identity = await readIdentity(this.#path).catch((error) => `unreadable: ${errorLine(error)}`);
    if (identity === this.#identity && this.#isIntact()) {
      this.#confirm();
      return;
    }
    const refusal = this.#refusal;
    if (refusal?.identity === identity && performance.now() - refusal.refusedAt < this.#retryMs) return;
    try {
      await this.#take(identity);
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

  /** Serves what is at the path, whose identity is not, or no longer, that of what is served. */
  async #take(identity: string): Promise<void> {
    const snapshot = this.#snapshot;
    // The index beside the same snapshot can change: a version was removed, or has arrived from object storage.
    if (snapshot && this.#isIntact() && snapshotPart(identity) === snapshotPart(this.#identity)) {
      const releases = await openReleases(snapshot.directory, this.#report, snapshot.releases);
      this.#snapshot = { ...snapshot, releases };
      return;
    }
    const directory = await realpath(this.#path);
    await this.#serve(directory, directory);
  }

  async #refuse(identity: string, fault: string): Promise<void> {
    let reason = fault;
    const cause = this.#isIntact() && this.#identity !== '' ? 'publication' : 'snapshot';
    if (this.#fallBack && !this.#isIntact()) {
      await this.#serveBefore().catch((failure) => {
        reason += `; cannot fall back: ${errorLine(failure)}`;
      });
    }
    this.#refusal = { identity, refusedAt: performance.now(), directory: this.#path, reason };
    if (this.#snapshot === null) return;
    const instead = this.#isIntact() ? `serving ${this.#snapshot.model_version}` : 'out of service until it is mended';
    this.#report(`refused the snapshot at ${this.#path}: ${reason}; ${instead}`, cause);
  }

  /** Serves the snapshot in `directory`, with the release index beside the one in `published`. */
  async #serve(directory: string, published: string): Promise<void> {
    const opened = await openSnapshot(directory);
    const isFirst = this.#snapshot === null;
    const releases = await openReleases(published, this.#report, this.#snapshot?.releases);
    this.#snapshot = { ...opened, releases };
    if (!isFirst || directory !== published) {
      this.#report(`now serving ${opened.model_version} from ${opened.directory}`);
    }
  }

  /** Serves the version that was current before the published one. */
  async #serveBefore(): Promise<void> {
    const path = this.#path;
    // Where the link points, even if nothing is there any more.
    const published = await realpath(path).catch(async () => resolve(dirname(path), await readlink(path)));
    const version = await versionBefore(await openReleases(published, this.#report, this.#snapshot?.releases));
    if (version === null) throw new Error('no other version was current before');
    await this.#serve(join(dirname(dirname(published)), snapshotPath(version)), published);
    this.#identity = '';
  }
}

/**
 * Checks the files that are not held in memory again and again, one at a time and each once in `ms`, so that damage is
 * found before a client asks for the file. Earlier versions are checked only as they are sent.
 */
async function sweep(current: () => Snapshot, ms: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { files, damage } = current();
    const onDisk = [...files.values()].flatMap(({ codings }) => [...codings.values()].filter(({ held }) => !held));
    for (const file of onDisk) {
      await pause(ms / onDisk.length, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted || current().files !== files) break;
      await readChecked(file.path, file.path, file).catch((error) => {
        if (!isTooManyOpen(error)) damage.set(file.path, errorLine(error));
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
