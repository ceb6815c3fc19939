import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { releasesOf } from './build-paths.ts';
import type { CodeState } from './code.ts';
import { writeDurably } from './disk.ts';

/**
 * One publication, `releases/000001.json`: written as `started` before anything moves, and as `published` once `current`
 * has. A kill in between leaves `started`: what `current` says then decides, and the next publication writes it down.
 */
export interface Release {
  number: number;
  status: 'started' | 'published' | 'abandoned';
  model_version: string;
  /** What it took the place of. */
  replaces: string | null;
  /** Where: `current` of this directory, or another directory or s3:// URL. */
  to: string;
  at: string;
  by: string;
  /** Of `--approve`. */
  reason: string | null;
  /** What needed that reason. */
  approved: string[];
  manifest_sha256: string;
  bytes: number;
  /** The code that built it, as far as it was noted, and the one that published it. */
  built: { at: string; code: CodeState } | null;
  published_by_code: CodeState;
  /** What it changed; null where there was nothing before it. */
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

/** `to` of what is published in its own directory. */
export const HERE = 'current';

const NAME = /^\d{6}\.json$/;
const fileOf = (out: string, number: number) => path.join(releasesOf(out), `${String(number).padStart(6, '0')}.json`);

/** All records, the oldest first. */
export function releasesIn(out: string): Release[] {
  let names: string[];
  try {
    names = readdirSync(releasesOf(out)).filter((name) => NAME.test(name));
  } catch {
    return [];
  }
  return names.sort().map((name) => JSON.parse(readFileSync(path.join(releasesOf(out), name), 'utf8')));
}

/** Writes a record that is not there yet, as started. Only for who publishes alone. */
export async function startRelease(out: string, release: Omit<Release, 'number' | 'status'>): Promise<Release> {
  const started: Release = { number: (releasesIn(out).at(-1)?.number ?? 0) + 1, status: 'started', ...release };
  await writeRelease(out, started);
  return started;
}

export function endRelease(out: string, release: Release, status: 'published' | 'abandoned'): Promise<void> {
  return writeRelease(out, { ...release, status });
}

/** What became of a publication that was started: it stands if what it published is current there. */
export const outcomeOf = (release: Release, current: string | null): 'published' | 'abandoned' =>
  release.model_version === current ? 'published' : 'abandoned';

/** Where a publication is written down, and as what. */
export interface History {
  out: string;
  to: string;
}

/** Ends the records that killed publications to a place left started. Only for who publishes alone. */
export async function settleReleases({ out, to }: History, current: string | null): Promise<void> {
  for (const release of releasesIn(out))
    if (release.status === 'started' && release.to === to) await endRelease(out, release, outcomeOf(release, current));
}

const writeRelease = (out: string, release: Release) =>
  writeDurably(fileOf(out, release.number), `${JSON.stringify(release, null, 2)}\n`);
