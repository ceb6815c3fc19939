import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../engine/code.ts';

/** Version of this project's code. */
export function codeVersion(): string {
  return JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version;
}
