import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeAtomic } from '../../engine/atomic-write.ts';
import { syncDirectory } from './disk.ts';
import { releasesOf, snapshotsOf } from './places.ts';
import type { ToldPlace } from './told.ts';

/** What is told of the versions in a build's directory. */
export function toldIn(out: string): ToldPlace {
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
