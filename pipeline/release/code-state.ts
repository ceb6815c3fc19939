import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../engine/code.ts';
import { readPacked } from '../engine/packed.ts';
import { sha256 } from '../lib/hash.ts';

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
  /** SHA-256 of package-lock.json; null if there is none. */
  lock_file: string | null;
  node: string;
}

export function codeState(): CodeState {
  const packed = readPacked(ROOT);
  if (packed) {
    const { commit, dirty, lock_file } = packed;
    return { version: codeVersion(), commit, dirty, lock_file, node: process.versions.node };
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  let [commit, dirty]: [string | null, boolean | null] = [null, null];
  try {
    // An installed package may be inside the checkout of another project.
    if (realpathSync(git('rev-parse', '--show-toplevel')) === realpathSync(ROOT)) {
      commit = git('rev-parse', 'HEAD');
      dirty = git('status', '--porcelain') !== '';
    }
  } catch {
    // Git is not installed, or this is not a checkout.
  }
  return { version: codeVersion(), commit, dirty, lock_file: lockFile(), node: process.versions.node };
}

function lockFile(): string | null {
  try {
    return sha256(readFileSync(path.join(ROOT, 'package-lock.json')));
  } catch {
    return null;
  }
}
