/**
 * Copies of accepted raw files, named by hash: `<out>/raw/<sha256>`. When a raw file is overwritten, the old version
 * can still be compared with the new one, and built again.
 */
import { constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import type { Source } from '../catalog/sources.ts';
import { isTemporary, writeAtomic } from '../lib/atomic-write.ts';
import { TryAgain } from '../lib/errors.ts';
import { sha256File } from '../lib/hash.ts';

const acceptedFile = (out: string, sha256: string) => path.join(out, 'raw', sha256);

/**
 * Keeps one copy of a file, sharing its blocks if the file system supports that.
 * @throws TryAgain if the file does not have this hash
 */
export async function keepFile(out: string, file: string, sha256: string): Promise<void> {
  const place = acceptedFile(out, sha256);
  if (existsSync(place)) return;
  await writeAtomic(place, async (copy) => {
    await copyFile(file, copy, constants.COPYFILE_FICLONE);
    if ((await sha256File(copy)) !== sha256)
      throw new TryAgain(
        `${file}: found that it changed while being copied, expected it to stay the same; run the command again`,
      );
  });
}

/** Path of the copy with this hash; null if there is none, or it is damaged. */
export async function keptFile(out: string, sha256: string): Promise<string | null> {
  const place = acceptedFile(out, sha256);
  return existsSync(place) && (await sha256File(place)) === sha256 ? place : null;
}

/** Removes incomplete copies. The caller must be the only process that uses `out`. */
export function clearUnfinishedCopies(out: string): void {
  const store = path.join(out, 'raw');
  if (existsSync(store)) for (const name of readdirSync(store)) if (isTemporary(name)) rmSync(path.join(store, name));
}

/** Keeps copies of the raw files that match the hashes in the catalog. */
export async function keepAccepted(
  out: string,
  { sources, rawData }: { sources: readonly Source[]; rawData: string },
  raw: Readonly<Record<string, string>>,
): Promise<void> {
  for (const { path: file, sha256 } of sources.flatMap(({ files }) => files))
    if (sha256 !== undefined && raw[file] === sha256) await keepFile(out, path.join(rawData, file), sha256);
}

/** Removes copies not in `needed` and made before `before`: a file accepted since is not yet part of any version. */
export function forgetFiles(
  out: string,
  needed: ReadonlySet<string>,
  before: number,
): { files: number; bytes: number } {
  const removed = { files: 0, bytes: 0 };
  const store = path.join(out, 'raw');
  if (!existsSync(store)) return removed;
  for (const name of readdirSync(store)) {
    const { size, mtimeMs } = statSync(path.join(store, name));
    if (needed.has(name) || mtimeMs >= before) continue;
    rmSync(path.join(store, name));
    removed.files += 1;
    removed.bytes += size;
  }
  return removed;
}
