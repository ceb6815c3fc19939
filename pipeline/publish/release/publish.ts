import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Snapshot } from '../snapshot/read.ts';
import { openSnapshot } from '../snapshot/read.ts';
import { verifySnapshot } from '../snapshot/verify.ts';
import { candidatesOf, newestCandidate } from './candidates.ts';
import { checkCurrent, currentVersion, pointCurrent } from './current.ts';
import { snapshotsOf } from './places.ts';
import { Stopped } from './stopped.ts';

export interface Publication {
  model_version: string;
  directory: string;
  /** What was current before; null where nothing was. */
  replaced: string | null;
  /** Whether it was current before. */
  already: boolean;
}

/**
 * Publishes a version that lies among the snapshots: checks it whole, then moves `current`. A kill at any moment leaves
 * the old version or the new.
 * @param version the newest candidate if null
 * @throws Stopped where it may not be published
 */
export async function publishVersion(out: string, version: string | null): Promise<Publication> {
  const snapshot = findVersion(out, version);
  const { model_version, unpublishable } = snapshot.manifest;
  const { directory } = snapshot;
  checkCurrent(out);
  if (unpublishable)
    throw new Stopped(`${model_version} cannot be published: ${unpublishable.join('; ')}; build it without that`);
  const replaced = currentVersion(out);
  if (replaced === model_version) return { model_version, directory, replaced, already: true };
  const { faults } = await verifySnapshot(directory);
  if (faults.length > 0)
    throw new Stopped(
      `${directory} is not fit to be published, ${faults.length} faults: ${faults.slice(0, 5).join('; ')}`,
    );
  await pointCurrent(out, model_version);
  return { model_version, directory, replaced, already: false };
}

/**
 * A version among the snapshots of `out`.
 * @param version the newest candidate if null
 */
export function findVersion(out: string, version: string | null): Snapshot {
  const name = version ?? newestCandidate(out)?.version;
  if (name === undefined) throw new Error(`${out}: found no candidate, expected one; run \`malaria-risk build\` first`);
  if (path.basename(name) !== name || !existsSync(path.join(snapshotsOf(out), name, 'manifest.json'))) {
    const known = [...new Set(candidatesOf(out).map((candidate) => candidate.version))].slice(-5);
    throw new Error(`${snapshotsOf(out)}: found no ${name}, expected a version there, such as ${known.join(', ')}`);
  }
  return openSnapshot(path.join(snapshotsOf(out), name));
}
