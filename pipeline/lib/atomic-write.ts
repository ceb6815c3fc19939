import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from './make-directory.ts';

let temporaryNameCount = 0;
/** A unique name beside `target`, for a file or directory that is being written or removed. */
export const temporaryName = (target: string) =>
  `${target}.${process.pid}-${Date.now().toString(36)}-${++temporaryNameCount}.tmp`;
/** Whether `temporaryName` made a name. Other files that end in .tmp may be in the same directory. */
export const isTemporary = (name: string) => /\.\d+-[0-9a-z]+-\d+\.tmp$/.test(name);

/**
 * Writes a temporary file and renames it, so that the file is complete or absent.
 * @param content what to write, or a function that writes the file under the name that it is given
 */
export async function writeAtomic(
  file: string,
  content: string | Uint8Array | ((temporary: string) => Promise<void>),
): Promise<void> {
  makeDirectory(path.dirname(file));
  const temporary = temporaryName(file);
  try {
    if (typeof content === 'function') await content(temporary);
    else await writeFile(temporary, content);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
