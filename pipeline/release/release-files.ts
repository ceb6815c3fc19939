import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { releasesFolder, snapshotsFolder } from './build-paths.ts';
import { writeDurably } from './disk.ts';
import type { ReleaseFiles } from './release-index.ts';

/** The files below `releases/` of a build's directory. */
export function releaseFilesIn(out: string): ReleaseFiles {
  const releaseFile = (name: string) => path.join(releasesFolder(out), name);
  return {
    read: (name) =>
      readFile(releaseFile(name)).catch((error) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      }),
    write: (name, bytes) => writeDurably(releaseFile(name), bytes),
    has: (version) => existsSync(path.join(snapshotsFolder(out), version, 'manifest.json')),
  };
}
