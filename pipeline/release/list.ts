import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Manifest } from '../contract/manifest.ts';
import { snapshotsFolder } from './build-paths.ts';
import { readCandidates } from './candidates.ts';
import { currentVersion } from './current.ts';
import { OWN_DIRECTORY, type Release, readReleases, releaseOutcome } from './release-records.ts';

/** A version among the snapshots. */
export interface StoredVersion {
  model_version: string;
  bytes: number;
  /** Time of the last build that recorded it; null if there is none. */
  built_at: string | null;
  current: boolean;
  published: boolean;
  unpublishable: string[];
}

export interface Releases {
  current: string | null;
  /** Newest first. If a publication to this directory was killed, `status` is its outcome. */
  releases: Release[];
  /** All versions, newest build first. */
  versions: StoredVersion[];
}

/** All publications, and the versions that can be published or restored; correct even if a publication was killed. */
export function listReleases(out: string): Releases {
  const current = currentVersion(out);
  const releases = readReleases(out).map((release) =>
    release.status === 'started' && release.to === OWN_DIRECTORY
      ? { ...release, status: releaseOutcome(release, current) }
      : release,
  );
  const publishedVersions = new Set(
    releases.filter(({ status }) => status !== 'abandoned').map((release) => release.model_version),
  );
  const builtAtByVersion = new Map(readCandidates(out).map(({ version, built_at }) => [version, built_at]));
  const versions = versionsIn(out).map((manifest): StoredVersion => {
    const { model_version, files, unpublishable = [] } = manifest;
    return {
      model_version,
      bytes: Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0),
      built_at: builtAtByVersion.get(model_version) ?? null,
      current: model_version === current,
      published: publishedVersions.has(model_version) || model_version === current,
      unpublishable,
    };
  });
  const byBuild = (a: StoredVersion, b: StoredVersion) => ((a.built_at ?? '') < (b.built_at ?? '') ? 1 : -1);
  return { current, releases: releases.reverse(), versions: versions.sort(byBuild) };
}

function versionsIn(out: string): Manifest[] {
  let names: string[];
  try {
    names = readdirSync(snapshotsFolder(out)).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(path.join(snapshotsFolder(out), name, 'manifest.json'), 'utf8'))];
    } catch {
      return [];
    }
  });
}
