import type { Snapshot } from '../snapshot/read.ts';
import type { History } from './records.ts';
import type { ReleaseFiles } from './release-index.ts';

/** Where a version is published. */
export interface Destination {
  name: string;
  /** Where that is written down, first in the directory that the version comes from. */
  histories: readonly History[];
  /** What is current there, as much of it as a review reads; null where nothing is. */
  current(): Promise<Snapshot | null>;
  /** Brings a version's files there, whole; nothing leads to them yet. */
  put(snapshot: Snapshot): Promise<void>;
  /** Its release index. */
  releases: ReleaseFiles;
  /** Lets `current` lead to a version that is there. */
  point(version: string): Promise<void>;
}
