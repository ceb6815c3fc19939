/**
 * Copies of accepted raw files, named by hash: `<out>/raw/<sha256>`. When a raw file is overwritten, the old version
 * can still be compared with the new one, and built again.
 */
import { constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import type { Source } from '../catalog/sources.ts';
import { writeAtomic } from '../lib/atomic-write.ts';
import { TryAgain } from '../lib/errors.ts';
import { sha256File } from '../lib/hash.ts';

export const copiesFolder = (out: string) => path.join(out, 'raw');
const storedCopyPath = (out: string, sha256: string) => path.join(copiesFolder(out), sha256);

/**
 * Keeps one copy of a file, sharing its blocks if the file system supports that.
 * @throws TryAgain if the file does not have this hash
 */
export async function storeFile(out: string, file: string, sha256: string): Promise<void> {
  const storedCopy = storedCopyPath(out, sha256);
  if (existsSync(storedCopy)) return;
  await writeAtomic(storedCopy, async (temporary) => {
    await copyFile(file, temporary, constants.COPYFILE_FICLONE);
    if ((await sha256File(temporary)) !== sha256)
      throw new TryAgain(
        `${file}: found that it changed while being copied, expected it to stay the same; run the command again`,
      );
  });
}

/** Path of the copy with this hash; null if there is none or it is damaged. */
export async function findStoredCopy(out: string, sha256: string): Promise<string | null> {
  const storedCopy = storedCopyPath(out, sha256);
  return existsSync(storedCopy) && (await sha256File(storedCopy)) === sha256 ? storedCopy : null;
}

/** Keeps copies of the raw files that match the hashes in the catalog. */
export async function storeAcceptedFiles(
  out: string,
  { sources, rawData }: { sources: readonly Source[]; rawData: string },
  rawHashes: Readonly<Record<string, string>>,
): Promise<void> {
  for (const { path: file, sha256 } of sources.flatMap(({ files }) => files))
    if (sha256 !== undefined && rawHashes[file] === sha256) await storeFile(out, path.join(rawData, file), sha256);
}

/** Removes copies that are not in `needed`, unless they were made since `cutoffMs`: no version may use these yet. */
export function removeStoredFiles(
  out: string,
  needed: ReadonlySet<string>,
  cutoffMs: number,
): { files: number; bytes: number } {
  const removed = { files: 0, bytes: 0 };
  const folder = copiesFolder(out);
  if (!existsSync(folder)) return removed;
  for (const name of readdirSync(folder)) {
    const { size, mtimeMs } = statSync(path.join(folder, name));
    if (needed.has(name) || mtimeMs >= cutoffMs) continue;
    rmSync(path.join(folder, name));
    removed.files += 1;
    removed.bytes += size;
  }
  return removed;
}
