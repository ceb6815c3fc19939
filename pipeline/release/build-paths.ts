import path from 'node:path';
import { RELEASES } from '../contract/published.ts';

/** Folders of a build's output directory. */
export const cacheOf = (out: string) => path.join(out, 'cache');
export const snapshotsOf = (out: string) => path.join(out, 'snapshots');
export const currentOf = (out: string) => path.join(out, 'current');
/** History, which cannot be rebuilt: candidates, reviews and a record of each publication. */
export const releasesOf = (out: string) => path.join(out, RELEASES);
