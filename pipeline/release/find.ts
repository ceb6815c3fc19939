import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildFolderOption } from '../lib/build-folder.ts';
import { UsageError } from '../lib/errors.ts';
import { openSnapshot, type Snapshot } from '../publish/snapshot/open-snapshot.ts';
import { snapshotsFolder } from './build-paths.ts';
import { newestCandidate, readCandidates } from './candidates.ts';
import { listReleases } from './list.ts';

/**
 * Opens a version among the snapshots of `out`.
 * @param version the newest candidate if null
 */
export function findVersion(out: string, version: string | null): Snapshot {
  if (!existsSync(out)) throw new UsageError(`${out}: found no such folder, expected one with builds; is --out right?`);
  const name = version ?? newestCandidate(out)?.version;
  if (name === undefined) {
    const [built] = listReleases(out).versions;
    const way = built
      ? `name a version, such as ${built.model_version}`
      : `run \`malaria-risk build${buildFolderOption(out)}\` first`;
    throw new UsageError(`${out}: found no candidate in its list of builds, expected one; ${way}`);
  }
  if (path.basename(name) !== name || !existsSync(path.join(snapshotsFolder(out), name, 'manifest.json'))) {
    const recent = [...new Set(readCandidates(out).map((candidate) => candidate.version))].slice(-5);
    const hint = recent.length > 0 ? `, such as ${recent.join(', ')}` : '; --out names the directory of another build';
    throw new UsageError(`${snapshotsFolder(out)}: found no ${name}, expected an existing version${hint}`);
  }
  return openSnapshot(path.join(snapshotsFolder(out), name));
}
