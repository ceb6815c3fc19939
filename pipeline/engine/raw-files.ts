import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { writeAtomic } from '../lib/atomic-write.ts';
import { sha256File } from '../lib/hash.ts';

/** Content hashes of files: path under `rawData` -> SHA-256. */
export async function hashFiles(rawData: string, files: readonly string[]): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const file of files.toSorted()) hashes[file] = await sha256File(path.join(rawData, file));
  return hashes;
}

/** The first raw file among a stage's `inputs` whose hash has changed, or null. */
export async function changedRawFile(inputs: Record<string, string>, rawData: string): Promise<string | null> {
  for (const [name, hash] of Object.entries(inputs)) {
    if (!name.startsWith('raw ')) continue;
    const file = name.slice('raw '.length);
    const now = await sha256File(path.join(rawData, file)).catch(() => null);
    if (now !== hash) return file;
  }
  return null;
}

const isText = (file: string) => /\.(?:csv|tsv|txt|geojson|json)$/i.test(file);
/** For larger files, a change is reported without its rows. */
const MOST_BYTES = 64e6;
const rowHashFile = (cache: string, hash: string) => path.join(cache, 'rows', hash.slice(0, 16));

/**
 * Keeps a checksum of each line of the text files among `raw`, four bytes per line, so that a later plan can show which
 * rows changed.
 */
export async function rememberRows(cache: string, rawData: string, raw: Record<string, string>): Promise<void> {
  for (const [file, hash] of Object.entries(raw)) {
    const full = path.join(rawData, file);
    const target = rowHashFile(cache, hash);
    if (!isText(file) || existsSync(target) || statSync(full).size > MOST_BYTES) continue;
    const sums = checksums(readFileSync(full));
    await writeAtomic(target, Buffer.from(sums.buffer));
  }
}

/** Which rows of a text file have changed since it had the hash `then`, in words; null if that is unknown. */
export function changedRows(cache: string, full: string, then: string): string | null {
  const sumsFile = rowHashFile(cache, then);
  if (!isText(full) || !existsSync(sumsFile)) return null;
  const bytes = readFileSync(sumsFile);
  const before = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const now = checksums(readFileSync(full));
  const shortest = Math.min(before.length, now.length);
  let start = 0;
  while (start < shortest && before[start] === now[start]) start++;
  let end = 0;
  while (end < shortest - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end++;
  const rowsBefore = before.length - start - end;
  const rowsNow = now.length - start - end;
  const rows = (count: number, from: number) => (count === 1 ? `row ${from}` : `rows ${from} to ${from + count - 1}`);
  if (rowsNow === 0)
    return rowsBefore === 0 ? null : `${rowsBefore === 1 ? 'a row' : `${rowsBefore} rows`} removed after row ${start}`;
  if (rowsBefore === 0) return `${rows(rowsNow, start + 1)} added`;
  return rowsBefore === rowsNow
    ? `changes in ${rows(rowsNow, start + 1)}`
    : `${rows(rowsBefore, start + 1)} became ${rows(rowsNow, start + 1)}`;
}

/** CRC-32 of every line, starting with the header. */
function checksums(data: Buffer): Uint32Array {
  const sums: number[] = [];
  for (let from = 0; from < data.length; ) {
    const end = data.indexOf(10, from);
    const to = end === -1 ? data.length : end;
    sums.push(crc32(data.subarray(from, to)));
    from = to + 1;
  }
  return Uint32Array.from(sums);
}
