import path from 'node:path';
import { RELEASES_FOLDER } from '../contract/published.ts';

/** Folders of a build's output directory. */
export const cacheFolder = (out: string) => path.join(out, 'cache');
export const snapshotsFolder = (out: string) => path.join(out, 'snapshots');
export const currentLink = (out: string) => path.join(out, 'current');
/** History, which cannot be rebuilt: candidates, reviews and a record of each publication. */
export const releasesFolder = (out: string) => path.join(out, RELEASES_FOLDER);
