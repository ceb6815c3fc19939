/** Where a published version lies, below a build's directory or a bucket's prefix, and what says which one is current. */

/** Place of a version's files. The link `current` of a directory and the object `current` of a bucket hold just this. */
export const placeOf = (version: string) => `snapshots/${version}`;

/** The version that `current` names; null where it names none. */
export function versionAt(pointer: string): string | null {
  return /^snapshots\/([a-z0-9][a-z0-9.-]*-[0-9a-f]{8})$/.exec(pointer.trim())?.[1] ?? null;
}

/** Bucket and prefix of `s3://BUCKET[/PREFIX]`, the prefix with its slash; null where `url` is of another form. */
export function s3PlaceOf(url: string): { bucket: string; prefix: string } | null {
  const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/.exec(url);
  return found && { bucket: found[1]!, prefix: found[2] ? `${found[2]}/` : '' };
}
