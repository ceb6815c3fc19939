import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeAtomic } from '../lib/atomic-write.ts';
import { releasesOf, snapshotsOf } from './build-paths.ts';
import { syncDirectory } from './disk.ts';
import type { ReleaseFiles } from './release-index.ts';

/** The files below `releases/` of a build's directory. */
export function releaseFilesIn(out: string): ReleaseFiles {
  const fileOf = (name: string) => path.join(releasesOf(out), name);
  return {
    read: (name) =>
      readFile(fileOf(name)).catch((error) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      }),
    async write(name, bytes) {
      await writeAtomic(fileOf(name), (temporary) => writeFile(temporary, bytes, { flush: true }));
      await syncDirectory(path.dirname(fileOf(name)));
    },
    has: (version) => existsSync(path.join(snapshotsOf(out), version, 'manifest.json')),
  };
}
