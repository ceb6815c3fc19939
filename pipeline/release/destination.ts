import type { Snapshot } from '../publish/snapshot/open-snapshot.ts';
import type { ReleaseFiles } from './release-index.ts';
import type { History } from './release-records.ts';

/** Where a version is published. */
export interface Destination {
  name: string;
  /** Histories that record the publication, first that of the directory that the version comes from. */
  histories: readonly History[];
  /** The current snapshot there, with the files that a review reads; null if there is none. */
  currentSnapshot(): Promise<Snapshot | null>;
  /** Copies a version's files there completely, without pointing `current` to them. */
  copyVersion(snapshot: Snapshot): Promise<void>;
  /** The files of its release index. */
  releaseFiles: ReleaseFiles;
  /** Points `current` to a version that is there. */
  makeCurrent(version: string): Promise<void>;
}
