import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { CodeState } from '../lib/code-state.ts';
import { parseStored } from '../lib/stored-json.ts';
import type { PastForecasts } from '../publish/snapshot/past-forecasts.ts';
import { releasesFolder } from './build-paths.ts';
import { writeDurably } from './disk.ts';

/**
 * One publication, `releases/000001.json`: `started` before anything changes, and `published` once `current` points to
 * the version. If the process is killed in between, `current` decides on the outcome, which the next publication
 * records.
 */
export interface Release {
  number: number;
  status: 'started' | 'published' | 'abandoned';
  model_version: string;
  /** The version that it replaced. */
  replaces: string | null;
  /** Destination: `current` for this directory, or another directory or an s3:// URL. */
  to: string;
  at: string;
  by: string;
  /** The text of `--approve`. */
  reason: string | null;
  /** What needed that reason. */
  approved: string[];
  manifest_sha256: string;
  bytes: number;
  /** The code that built it; null if that was not recorded. */
  built: { at: string; code: CodeState } | null;
  published_by_code: CodeState;
  /** How good the forecasts of the replaced version were; null if none had met its month. */
  past_forecasts: PastForecasts | null;
  /** Its changes; null if it replaced nothing. */
  changes: {
    scores_compared: number;
    scores_moved: number;
    levels_flipped: number;
    ranges_disjoint: number;
    largest_change: number;
    answers_changed: number;
    findings_new: number;
  } | null;
}

/** `to` of a publication in its own directory. */
export const OWN_DIRECTORY = 'current';

const RECORD_NAME = /^\d{6}\.json$/;
const recordFile = (out: string, number: number) =>
  path.join(releasesFolder(out), `${String(number).padStart(6, '0')}.json`);

/** All records, oldest first. */
export function readReleases(out: string): Release[] {
  let names: string[];
  try {
    names = readdirSync(releasesFolder(out)).filter((name) => RECORD_NAME.test(name));
  } catch {
    return [];
  }
  return names.sort().map((name) => {
    const file = path.join(releasesFolder(out), name);
    return parseStored(readFileSync(file), file, 'copy it from a backup, or move it away: the history then lacks it');
  });
}

/** Writes a new record as started. Call it only under the lock of `publishAlone`. */
export async function startRelease(out: string, release: Omit<Release, 'number' | 'status'>): Promise<Release> {
  const started: Release = { number: (readReleases(out).at(-1)?.number ?? 0) + 1, status: 'started', ...release };
  await writeRelease(out, started);
  return started;
}

export function endRelease(out: string, release: Release, status: 'published' | 'abandoned'): Promise<void> {
  return writeRelease(out, { ...release, status });
}

/** Outcome of a started publication: published if its version is current at the destination. */
export const releaseOutcome = (release: Release, current: string | null): 'published' | 'abandoned' =>
  release.model_version === current ? 'published' : 'abandoned';

/** A directory that records a publication, and the destination in the record. */
export interface History {
  out: string;
  to: string;
}

/** Ends the records that killed publications left started. Call it only under the lock of `publishAlone`. */
export async function completeReleases({ out, to }: History, current: string | null): Promise<void> {
  for (const release of readReleases(out))
    if (release.status === 'started' && release.to === to)
      await endRelease(out, release, releaseOutcome(release, current));
}

const writeRelease = (out: string, release: Release) =>
  writeDurably(recordFile(out, release.number), `${JSON.stringify(release, null, 2)}\n`);
