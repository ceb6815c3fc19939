import { appendFile, mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeAtomic } from '../lib/atomic-write.ts';

/** Syncs a directory's entries to disk, so that changes to them survive a loss of power. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file atomically and syncs it, so that it is complete or absent even after a loss of power. */
export async function writeDurably(file: string, content: string | Buffer): Promise<void> {
  await writeAtomic(file, (temporary) => writeFile(temporary, content, { flush: true }));
  await syncDirectory(path.dirname(file));
}

/**
 * Appends a line to a file in one write, so that lines appended at the same time do not mix. The newline comes before
 * the line, which separates it from an earlier one that a full disk cut short.
 */
export async function appendLine(file: string, line: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await appendFile(file, `\n${line}`, { flush: true });
}
