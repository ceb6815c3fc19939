/** Where a published version is stored, below a build's directory or a bucket's prefix; which one is current; the index of releases. */
import type { Static } from 'typebox';
import { FileEntry } from './manifest.ts';
import { Type } from './type.ts';

/** Regular expression of a version's name, without its ends. */
export const VERSION = '[a-z0-9][a-z0-9.-]*-[0-9a-f]{8}';

/** Place of a version's files. The link `current` of a directory and the object `current` of a bucket hold just this. */
export const placeOf = (version: string) => `snapshots/${version}`;

/** The version that `current` names; null where it names none. */
export function versionAt(pointer: string): string | null {
  return new RegExp(`^snapshots/(${VERSION})$`).exec(pointer.trim())?.[1] ?? null;
}

/** Bucket and prefix of `s3://BUCKET[/PREFIX]`, the prefix with its slash; null where `url` is of another form. */
export function s3PlaceOf(url: string): { bucket: string; prefix: string } | null {
  const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/.exec(url);
  return found && { bucket: found[1]!, prefix: found[2] ? `${found[2]}/` : '' };
}

/** Folder of the release indexes and diffs, below the same directory or prefix. */
export const RELEASES = 'releases';
export const releaseIndexFile = (version: string) => `${version}/index/manifest.json`;
export const diffOf = (from: string, to: string) => `${from}/diff/${to}.json`;

const version = Type.String({ pattern: `^${VERSION}$` });

/**
 * The versions as `publish` lists them while `current` is current. Each version has an index of its own, so that the one
 * pointer `current` leads to a snapshot and to the index that belongs to it.
 */
export const ReleaseIndex = Type.Object(
  {
    format: Type.Literal(1),
    current: version,
    earlier: Type.Array(
      Type.Object(
        {
          model_version: version,
          replaced_at: Type.String({ description: 'When another took its place, UTC' }),
          sunset: Type.Union([Type.String(), Type.Null()], {
            description: 'Until when it is promised to be kept, UTC',
          }),
        },
        { additionalProperties: false },
      ),
      { description: 'Versions that are served beside it' },
    ),
    answers: Type.Record(Type.String(), Type.String(), {
      description: 'Address -> its file, a name of `files` without an encoding',
    }),
    files: Type.Record(Type.String(), FileEntry, { description: 'Below `releases/`' }),
  },
  { additionalProperties: false },
);
export type ReleaseIndex = Static<typeof ReleaseIndex>;

/** Address of the feed, on the dashboard's port. */
export const FEED = '/feed.atom';
