/**
 * Where published versions are stored, in a build's directory or a bucket; which one is current; the index of releases.
 */
import type { Static } from 'typebox';
import { FileEntry } from './manifest.ts';
import { closedObject, Type } from './type.ts';

/** Regular expression of a version's name, without anchors. */
export const VERSION_PATTERN = '[a-z0-9][a-z0-9.-]*-[0-9a-f]{8}';

/**
 * Path of a version's files. It is the target of a directory's link `current` and the content of a bucket's `current`.
 */
export const snapshotPath = (version: string) => `snapshots/${version}`;

/** The version that `current` names; null if it names none. */
export function versionFromPointer(pointer: string): string | null {
  return new RegExp(`^snapshots/(${VERSION_PATTERN})$`).exec(pointer.trim())?.[1] ?? null;
}

/** Bucket and prefix of `s3://BUCKET[/PREFIX]`, the prefix with its slash; null if `url` has another form. */
export function parseS3Url(url: string): { bucket: string; prefix: string } | null {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/.exec(url);
  return match && { bucket: match[1]!, prefix: match[2] ? `${match[2]}/` : '' };
}

/** Folder of the release indexes and diffs, below the same directory or prefix. */
export const RELEASES_FOLDER = 'releases';
export const releaseIndexFile = (version: string) => `${version}/index/manifest.json`;
export const diffPath = (from: string, to: string) => `${from}/diff/${to}.json`;

const version = Type.String({ pattern: `^${VERSION_PATTERN}$` });

/**
 * The versions as `publish` lists them while `current` is current. Each version has its own index, so that the pointer
 * `current` identifies both a snapshot and its index.
 */
export const ReleaseIndex = closedObject({
  format: Type.Literal(1),
  current: version,
  earlier: Type.Array(
    closedObject({
      model_version: version,
      replaced_at: Type.String({ description: 'When it was replaced, UTC' }),
      sunset: Type.Union([Type.String(), Type.Null()], {
        description: 'Time until which it is promised to be kept, UTC',
      }),
    }),
    { description: 'Earlier versions that are still served' },
  ),
  answers: Type.Record(Type.String(), Type.String(), {
    description: 'File of each address, as its name in `files` without an encoding',
  }),
  files: Type.Record(Type.String(), FileEntry, { description: 'Below `releases/`' }),
});
export type ReleaseIndex = Static<typeof ReleaseIndex>;

/** What to do about a version whose files are not those of its manifest. */
export const DAMAGED_ADVICE =
  'if this is the folder of a version, copy it again from a backup, or move its folder away and run the same `malaria-risk build` again; until then, `malaria-risk publish VERSION` makes an earlier one current (`malaria-risk releases list`)';
