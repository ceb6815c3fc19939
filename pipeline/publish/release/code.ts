import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../engine/code.ts';
import { sha256 } from '../../engine/hash.ts';
import { readPacked } from '../../engine/packed.ts';

/** Version of this project's code. */
export function codeVersion(): string {
  return JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version;
}

/** The code at hand: enough to check the very same out. */
export interface CodeState {
  version: string;
  /** Null where the code is neither a checkout of git nor packed from one. */
  commit: string | null;
  /** Whether the checkout has changes that are not committed. */
  dirty: boolean | null;
  /** SHA-256 of package-lock.json; null where there is none. */
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
    // An installed package may lie inside somebody else's checkout.
    if (realpathSync(git('rev-parse', '--show-toplevel')) === realpathSync(ROOT)) {
      commit = git('rev-parse', 'HEAD');
      dirty = git('status', '--porcelain') !== '';
    }
  } catch {
    // No git, or no checkout.
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
