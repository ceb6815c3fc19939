import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { ROOT, readPackRecord } from './packed.ts';

/** Version of this project's code. */
export function codeVersion(): string {
  return JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version;
}

/** Identifies the running code, so that it can be checked out again. */
export interface CodeState {
  version: string;
  /** Null if the code is neither a Git checkout nor packed from one. */
  commit: string | null;
  /** Whether the checkout has uncommitted changes. */
  dirty: boolean | null;
  node: string;
}

export function codeState(): CodeState {
  const packed = readPackRecord(ROOT);
  const commit = codeCommit();
  return {
    version: codeVersion(),
    commit,
    dirty: packed ? packed.dirty : commit === null ? null : git('status', '--porcelain') !== '',
    node: process.versions.node,
  };
}

/** The commit of the running code; null if it is neither a Git checkout nor packed from one. */
export function codeCommit(): string | null {
  const packed = readPackRecord(ROOT);
  if (packed) return packed.commit;
  try {
    // An installed package may be inside the checkout of another project.
    const isCheckout = realpathSync(git('rev-parse', '--show-toplevel')) === realpathSync(ROOT);
    return isCheckout ? git('rev-parse', 'HEAD') : null;
  } catch {
    // Git is not installed, or this is not a checkout.
    return null;
  }
}

const git = (...args: string[]) =>
  execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
