import { appendFile, mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeAtomic } from '../../engine/atomic-write.ts';

/** Makes what was done to a directory's entries last through a loss of power. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file that is there whole or not at all, and stays when the power is lost. */
export async function writeDurably(file: string, text: string): Promise<void> {
  await writeAtomic(file, (temporary) => writeFile(temporary, text, { flush: true }));
  await syncDirectory(path.dirname(file));
}

/**
 * Adds a line to a file, in one write: of lines that are added at once, none is torn. It brings the line's beginning
 * with it and not its end, so that it stands apart from one before it that a full disk cut short.
 */
export async function appendLine(file: string, line: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await appendFile(file, `\n${line}`, { flush: true });
}
