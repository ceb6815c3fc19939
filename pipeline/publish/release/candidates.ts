import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { releasesOf, snapshotsOf } from './build-paths.ts';
import type { CodeState } from './code.ts';
import { appendLine } from './disk.ts';

/** A line of `releases/candidates.jsonl`: a build ended with this version, made by it or there before. */
export interface Candidate {
  version: string;
  built_at: string;
  /** What was asked for, such as `build --country raw-data/nigeria`. */
  command: string;
  /** The code that built it, or that would have: a version is the same whatever built it. */
  code: CodeState;
}

const fileOf = (out: string) => path.join(releasesOf(out), 'candidates.jsonl');

/** Notes what a build ended with. */
export function noteCandidate(out: string, candidate: Candidate): Promise<void> {
  return appendLine(fileOf(out), JSON.stringify(candidate));
}

/** All that builds ended with, the oldest first. A line that a kill or a full disk cut short does not count. */
export function candidatesOf(out: string): Candidate[] {
  if (!existsSync(fileOf(out))) return [];
  return readFileSync(fileOf(out), 'utf8')
    .split('\n')
    .flatMap((line): Candidate[] => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

/** What the latest build ended with and is still there. */
export function newestCandidate(out: string): Candidate | null {
  const there = ({ version }: Candidate) => existsSync(path.join(snapshotsOf(out), version, 'manifest.json'));
  return candidatesOf(out).findLast(there) ?? null;
}
