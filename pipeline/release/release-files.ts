import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeAtomic } from '../lib/atomic-write.ts';
import { releasesFolder, snapshotsFolder } from './build-paths.ts';
import { syncDirectory } from './disk.ts';
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
    async write(name, bytes) {
      await writeAtomic(releaseFile(name), (temporary) => writeFile(temporary, bytes, { flush: true }));
      await syncDirectory(path.dirname(releaseFile(name)));
    },
    has: (version) => existsSync(path.join(snapshotsFolder(out), version, 'manifest.json')),
  };
}
