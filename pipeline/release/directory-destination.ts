import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { lockShared } from '../engine/lock.ts';
import { TryAgain } from '../lib/errors.ts';
import { sha256 } from '../lib/hash.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import type { Snapshot } from '../publish/snapshot/open-snapshot.ts';
import { writeSynced } from '../publish/snapshot/snapshot-writer.ts';
import { makeCandidate } from './candidate.ts';
import { currentSnapshot, pointCurrent, refuseCurrentDirectory } from './current.ts';
import type { Destination } from './destination.ts';
import { publishAlone } from './publish-lock.ts';
import { releaseFilesIn } from './release-files.ts';
import { OWN_DIRECTORY } from './release-records.ts';

/** The build's own directory, which already has the files. */
export const ownDirectory = (out: string): Destination => ({
  name: OWN_DIRECTORY,
  histories: [{ out, to: OWN_DIRECTORY }],
  async currentSnapshot() {
    refuseCurrentDirectory(out);
    return currentSnapshot(out);
  },
  async copyVersion() {},
  releaseFiles: releaseFilesIn(out),
  makeCurrent: (version) => pointCurrent(out, version),
});

/** Runs `work` with another build's directory, which keeps its own history, while nobody else publishes to it. */
export function withDirectory<T>(
  out: string,
  directory: string,
  work: (destination: Destination) => Promise<T>,
): Promise<T> {
  return publishAlone(directory, async () => {
    const lock = lockShared(directory);
    try {
      return await work({
        ...ownDirectory(directory),
        name: directory,
        histories: [
          { out, to: directory },
          { out: directory, to: OWN_DIRECTORY },
        ],
        copyVersion: (snapshot) => copyTo(directory, snapshot),
      });
    } finally {
      lock.release();
    }
  });
}

/** Copies a version's files to a temporary directory, checks each against the manifest, and renames the directory. */
async function copyTo(out: string, { directory, manifest }: Snapshot): Promise<void> {
  const { model_version: version, stages, files } = manifest;
  const keys = Object.fromEntries(stages.map(({ stage, key }) => [stage, key]));
  await makeCandidate(out, {
    version,
    keys,
    async write(temporary) {
      for (const name of [...Object.keys(files), 'manifest.json']) {
        const copy = path.join(temporary, name);
        makeDirectory(path.dirname(copy));
        await writeSynced(copy, await readFile(path.join(directory, name)));
      }
    },
    async check(temporary) {
      for (const [name, entry] of Object.entries(files))
        if (sha256(await readFile(path.join(temporary, name))) !== entry.sha256)
          throw new TryAgain(
            `${path.join(temporary, name)}: found bytes that differ from those copied, expected the same; the published version there is unchanged`,
          );
    },
  });
}
