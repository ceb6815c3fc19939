import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A unique name beside `target` for what is being written or removed. */
let count = 0;
export const temporaryName = (target: string) => `${target}.${process.pid}-${Date.now().toString(36)}-${++count}.tmp`;
/** Whether a name is one of those. `out` may be anyone's directory and hold other files that end in .tmp. */
export const isTemporary = (name: string) => /\.\d+-[0-9a-z]+-\d+\.tmp$/.test(name);

/**
 * Writes a file beside its place and renames it, so that it is there whole or not at all.
 * @param content what to write, or a function that writes the file under the name that it is given
 */
export async function writeAtomic(
  file: string,
  content: string | Uint8Array | ((temporary: string) => Promise<void>),
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = temporaryName(file);
  try {
    if (typeof content === 'function') await content(temporary);
    else await writeFile(temporary, content);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
