import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DAMAGED_ADVICE, parseS3Url } from '../../pipeline/contract/published.ts';
import { refuseBuildFolder } from '../../pipeline/lib/build-folder.ts';
import { errorLine, UsageError } from '../../pipeline/lib/errors.ts';
import { type SnapshotSource, SnapshotWatcher, type WatchOptions } from './watch.ts';

/** The operator's settings. */
export interface SourceSettings {
  /** A folder, a link to one, or s3://BUCKET/PREFIX. */
  snapshot: string;
  /** Folder for copies of snapshots from object storage. */
  snapshotCopies: string;
  /** Whether the version before is served while the published one is damaged. */
  fallBack?: boolean;
}

export interface SourceOptions extends SourceSettings {
  /** How often to check for a newly published snapshot. */
  pollMs?: number;
  /** How long it takes to check once the files that are not held in memory. */
  fileCheckMs?: number;
  report: WatchOptions['report'];
}

/** Opens the snapshots in a folder or in object storage. @throws UsageError if there is none, or it is damaged. */
export async function openSource(options: SourceOptions): Promise<SnapshotSource> {
  if (!options.snapshot.startsWith('s3:')) return openFromFolder(options);
  if (parseS3Url(options.snapshot)) return openFromStorage(options);
  throw new UsageError('snapshot: expected s3://BUCKET or s3://BUCKET/PREFIX');
}

/** The snapshots in object storage, copied to disk first. */
async function openFromStorage(options: SourceOptions): Promise<SnapshotSource> {
  const { snapshot, snapshotCopies, pollMs, report } = options;
  // Loaded only here: a folder does not need the S3 client.
  const { SnapshotMirror } = await import('./object-storage.ts');
  const mirror = await SnapshotMirror.open(snapshot, snapshotCopies, { report, pollMs });
  try {
    const copies = await openWatcher(mirror.path, options);
    return {
      current: () => copies.current(),
      refusal: () => mirror.refusal() ?? copies.refusal(),
      confirmedAt: () => Math.min(mirror.confirmedAt(), copies.confirmedAt()),
      damageLine: () => copies.damageLine(),
      close: async () => {
        copies.close();
        await mirror.close();
      },
    };
  } catch (error) {
    await mirror.close();
    throw error;
  }
}

/** The snapshots in a folder, or behind a link to one. */
async function openFromFolder(options: SourceOptions): Promise<SnapshotSource> {
  const { snapshot } = options;
  const link = await lstat(snapshot).catch(() => {
    throw new UsageError(
      `no snapshot at ${snapshot}; run \`malaria-risk build --country DIR --publish\` first, or name one with --snapshot`,
    );
  });
  refuseBuildFolder(snapshot);
  const folder = dirname(snapshot);
  const { uid } = await stat(folder);
  if (link.isSymbolicLink() && link.uid !== uid) {
    options.report(
      `${snapshot} belongs to user ${link.uid} and its folder to user ${uid}, whose publications may fail; ` +
        `run: sudo chown -h --reference=${folder} ${snapshot}`,
      'publication',
    );
  }
  return openWatcher(snapshot, options);
}

async function openWatcher(path: string, options: SourceOptions): Promise<SnapshotSource> {
  try {
    return await SnapshotWatcher.open(path, options);
  } catch (error) {
    throw new UsageError(`the snapshot at ${path} is damaged: ${errorLine(error)}; ${DAMAGED_ADVICE}`, {
      cause: error,
    });
  }
}
