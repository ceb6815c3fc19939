import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { CodeState } from '../lib/code-state.ts';
import { releasesFolder, snapshotsFolder } from './build-paths.ts';
import { appendLine } from './disk.ts';

/** A line of `releases/candidates.jsonl`: the version that a build made or found to exist already. */
export interface Candidate {
  version: string;
  built_at: string;
  /** The command, such as `build --country raw-data/nigeria`. */
  command: string;
  /** The code of the build, whether or not it made the version itself. */
  code: CodeState;
}

const candidatesFile = (out: string) => path.join(releasesFolder(out), 'candidates.jsonl');

/** Records the version of a build. */
export function noteCandidate(out: string, candidate: Candidate): Promise<void> {
  return appendLine(candidatesFile(out), JSON.stringify(candidate));
}

/** The recorded candidates, oldest first, without incomplete lines, which a killed build or a full disk can leave. */
export function readCandidates(out: string): Candidate[] {
  if (!existsSync(candidatesFile(out))) return [];
  return readFileSync(candidatesFile(out), 'utf8')
    .split('\n')
    .flatMap((line): Candidate[] => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

/** The latest candidate that still exists. */
export function newestCandidate(out: string): Candidate | null {
  const exists = ({ version }: Candidate) => existsSync(path.join(snapshotsFolder(out), version, 'manifest.json'));
  return readCandidates(out).findLast(exists) ?? null;
}
