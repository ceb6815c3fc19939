import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256 } from '../../engine/hash.ts';
import { lockShared } from '../../engine/lock.ts';
import { TryAgain } from '../../errors.ts';
import type { Snapshot } from '../snapshot/read.ts';
import { writeSynced } from '../snapshot/tree.ts';
import { makeCandidate } from './candidate.ts';
import { checkCurrent, currentSnapshot, pointCurrent } from './current.ts';
import type { Destination } from './destination.ts';
import { publishAlone } from './lock.ts';
import { HERE } from './records.ts';
import { releaseFilesIn } from './release-files.ts';

/** Does `work` with another build's directory, which nobody else publishes to meanwhile. It keeps its own history. */
export function withDirectory<T>(out: string, directory: string, work: (place: Destination) => Promise<T>): Promise<T> {
  return publishAlone(directory, async () => {
    const inUse = lockShared(directory);
    try {
      return await work({
        name: directory,
        histories: [
          { out, to: directory },
          { out: directory, to: HERE },
        ],
        async current() {
          checkCurrent(directory);
          return currentSnapshot(directory);
        },
        put: (snapshot) => copyTo(directory, snapshot),
        releases: releaseFilesIn(directory),
        point: (version) => pointCurrent(directory, version),
      });
    } finally {
      inUse.release();
    }
  });
}

/** Copies a version's files aside, holds every copy against the manifest, and puts them in place in one rename. */
async function copyTo(out: string, { directory, manifest }: Snapshot): Promise<void> {
  const { model_version: version, stages, files } = manifest;
  const keys = Object.fromEntries(stages.map(({ stage, key }) => [stage, key]));
  await makeCandidate(out, {
    version,
    keys,
    async write(aside) {
      for (const name of [...Object.keys(files), 'manifest.json']) {
        const copy = path.join(aside, name);
        await mkdir(path.dirname(copy), { recursive: true });
        await writeSynced(copy, await readFile(path.join(directory, name)));
      }
    },
    async check(aside) {
      for (const [name, entry] of Object.entries(files))
        if (sha256(await readFile(path.join(aside, name))) !== entry.sha256)
          throw new TryAgain(
            `${path.join(aside, name)}: found other bytes than were copied, expected its SHA-256; what is published there is as it was`,
          );
    },
  });
}
