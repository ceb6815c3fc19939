/** The release index beside a snapshot (OUT/releases), and the earlier versions that are kept (OUT/snapshots). */
import { access, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Check } from 'typebox/value';
import { ENCODINGS, type Encoding } from '../../pipeline/contract/manifest.ts';
import { RELEASE_OPERATIONS } from '../../pipeline/contract/operations.ts';
import { RELEASES_FOLDER, ReleaseIndex, releaseIndexFile, snapshotPath } from '../../pipeline/contract/published.ts';
import type { Versions } from '../../pipeline/contract/schemas.ts';
import { errorLine } from '../../pipeline/lib/errors.ts';
import {
  checkRelativePath,
  type Damage,
  openEarlierSnapshot,
  parseJson,
  readUncompressed,
  readVerified,
  type ServedFile,
  type Snapshot,
} from './snapshot.ts';

/** What is served besides the current snapshot. */
export interface Releases {
  /** Answers that belong to no single version, by path: `/v1/versions`, and diffs. */
  answers: ReadonlyMap<string, ServedFile>;
  /** The earlier versions that are served. */
  versions: ReadonlyMap<string, ServedVersion>;
}

/** The files of a version, with its coverage. */
export type ServedVersion = Pick<Snapshot, 'coverage' | 'files'> & {
  /** Headers that tell clients that the version has been replaced. */
  headers?: Readonly<Record<string, string>>;
};

const [VERSIONS_OPERATION] = RELEASE_OPERATIONS;

/** Identifies the release index beside a snapshot; changes whenever it is rewritten. */
export async function releaseIndexIdentity(directory: string): Promise<string> {
  const stats = await stat(releaseIndexPath(directory), { bigint: true }).catch(() => null);
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : 'none';
}

/**
 * Reads the release index beside the snapshot in `directory`. Of an earlier version only the manifest is read: each
 * file is checked against it whenever it is sent. A version that is missing, or whose manifest is damaged, is reported
 * and left out.
 * @param previous the releases so far; their versions are not read again, since that takes a fifth of a second each
 * @throws Error, in one line, if the index itself is damaged
 */
export async function openReleases(
  directory: string,
  report: (line: string, cause: 'publication') => void,
  previous?: Releases,
): Promise<Releases> {
  const index = await readReleaseIndex(releaseIndexPath(directory));
  const versions = new Map<string, ServedVersion>();
  if (!index) return { answers: new Map(), versions };
  const root = dirname(dirname(directory));
  for (const { model_version, replaced_at, sunset } of index.earlier) {
    try {
      const headers = {
        deprecation: `@${Math.floor(Date.parse(replaced_at) / 1000)}`,
        ...(sunset === null ? {} : { sunset: new Date(sunset).toUTCString() }),
      };
      const versionDirectory = join(root, snapshotPath(model_version));
      const previousVersion = previous?.versions.get(model_version);
      const isSame = JSON.stringify(previousVersion?.headers) === JSON.stringify(headers);
      if (isSame) await access(join(versionDirectory, 'manifest.json'));
      if (isSame) versions.set(model_version, previousVersion!);
      else versions.set(model_version, { ...(await openEarlierSnapshot(versionDirectory, headers)), headers });
    } catch (error) {
      report(`${model_version} is listed as kept but is left out: ${errorLine(error)}`, 'publication');
    }
  }
  const answers = new Map<string, ServedFile>();
  const damage: Damage = new Map();
  for (const [address, name] of Object.entries(index.answers)) {
    const extensions = Object.entries(ENCODINGS) as [Encoding, string][];
    const codings: ServedFile['codings'] = new Map(
      await Promise.all(
        [...extensions, ['identity', ''] as const].map(async ([coding, extension]) => {
          const entry = index.files[name + extension];
          if (!entry) throw new Error(`release index: no file ${name}${extension} for ${address}`);
          const path = join(root, RELEASES_FOLDER, checkRelativePath(name + extension));
          return [coding, { ...entry, path, content: await readVerified(name + extension, path, entry) }] as const;
        }),
      ),
    );
    answers.set(address, { type: 'application/json', hasRanges: false, headers: {}, damage, codings });
  }
  return { answers, versions };
}

/**
 * The version that was current before the one that is, by the list of releases: neither a candidate, which is not
 * listed, nor a version that was rolled back from. Null if there is none.
 */
export async function findVersionBefore({ answers }: Releases): Promise<string | null> {
  const versionsAnswer = await readUncompressed(answers.get(VERSIONS_OPERATION.path));
  if (!versionsAnswer) return null;
  const { releases }: Versions = JSON.parse(versionsAnswer.toString());
  const oldestVersion = releases.at(-1)?.replaces;
  const succession = oldestVersion ? [oldestVersion] : [];
  for (const { model_version } of releases.toReversed()) {
    const index = succession.indexOf(model_version);
    // Rolled back to: whatever was published since does not count.
    if (index === -1) succession.push(model_version);
    else succession.length = index + 1;
  }
  return succession.at(-2) ?? null;
}

const releaseIndexPath = (directory: string) =>
  join(dirname(dirname(directory)), RELEASES_FOLDER, releaseIndexFile(basename(directory)));

async function readReleaseIndex(path: string): Promise<ReleaseIndex | null> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null;
    throw new Error(`${path} cannot be read: ${errorLine(error)}`, { cause: error });
  });
  return text === null ? null : parseReleaseIndex(text, path);
}

/** The release index in `text`, read from `path`. @throws Error, in one line, if it is not a release index */
export function parseReleaseIndex(text: string, path: string): ReleaseIndex {
  const value = parseJson(text, path);
  if (Check(ReleaseIndex, value)) return value;
  throw new Error(`${path} is not a release index`);
}
