/**
 * Accepted raw files, each under its hash: `<out>/raw/<sha256>`. A file may be overwritten in its place and an old
 * version still be compared with, and built again.
 */
import { constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { isTemporary, writeAtomic } from '../engine/atomic-write.ts';
import { sha256File } from '../engine/hash.ts';
import { TryAgain } from '../errors.ts';
import type { Source } from './sources.ts';

const placeOf = (out: string, sha256: string) => path.join(out, 'raw', sha256);

/** Keeps a copy of a file, once; shares its blocks where the file system can. @throws Error where it is another file */
export async function keepFile(out: string, file: string, sha256: string): Promise<void> {
  const place = placeOf(out, sha256);
  if (existsSync(place)) return;
  await writeAtomic(place, async (copy) => {
    await copyFile(file, copy, constants.COPYFILE_FICLONE);
    if ((await sha256File(copy)) !== sha256)
      throw new TryAgain(`${file}: found it changed while it was copied, expected it to stay as it is; run it again`);
  });
}

/** Where the file with this hash is kept; null where it is not, or is damaged. */
export async function keptFile(out: string, sha256: string): Promise<string | null> {
  const place = placeOf(out, sha256);
  return existsSync(place) && (await sha256File(place)) === sha256 ? place : null;
}

/** Removes what was half copied. Only for who is alone in `out`. */
export function clearUnfinishedCopies(out: string): void {
  const store = path.join(out, 'raw');
  if (existsSync(store)) for (const name of readdirSync(store)) if (isTemporary(name)) rmSync(path.join(store, name));
}

/** Keeps those of the raw files that are as the catalog pins them. */
export async function keepAccepted(
  out: string,
  { sources, rawData }: { sources: readonly Source[]; rawData: string },
  raw: Readonly<Record<string, string>>,
): Promise<void> {
  for (const { path: file, sha256 } of sources.flatMap(({ files }) => files))
    if (sha256 !== undefined && raw[file] === sha256) await keepFile(out, path.join(rawData, file), sha256);
}

/** Removes what none of `needed` names and was kept before `before`: a file accepted since is in no version yet. */
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
