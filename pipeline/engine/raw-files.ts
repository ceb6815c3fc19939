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
    const currentHash = await sha256File(path.join(rawData, file)).catch(() => null);
    if (currentHash !== hash) return file;
  }
  return null;
}

const isText = (file: string) => /\.(?:csv|tsv|txt|geojson|json)$/i.test(file);
/** For larger files, a change is reported without its rows. */
const MAX_BYTES = 64e6;
const rowChecksumFile = (cache: string, hash: string) => path.join(cache, 'rows', hash.slice(0, 16));

/**
 * Keeps a checksum of each line of the text files among `raw`, four bytes per line, so that a later plan can show which
 * rows changed.
 */
export async function storeRowChecksums(cache: string, rawData: string, raw: Record<string, string>): Promise<void> {
  for (const [file, hash] of Object.entries(raw)) {
    const rawFile = path.join(rawData, file);
    const checksumFile = rowChecksumFile(cache, hash);
    if (!isText(file) || existsSync(checksumFile) || statSync(rawFile).size > MAX_BYTES) continue;
    const checksums = rowChecksums(readFileSync(rawFile));
    await writeAtomic(checksumFile, Buffer.from(checksums.buffer));
  }
}

/** Which rows of a text file have changed since it had `earlierHash`, in words; null if that is unknown. */
export function changedRows(cache: string, rawFile: string, earlierHash: string): string | null {
  const checksumFile = rowChecksumFile(cache, earlierHash);
  if (!isText(rawFile) || !existsSync(checksumFile)) return null;
  const bytes = readFileSync(checksumFile);
  const before = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const now = rowChecksums(readFileSync(rawFile));
  const commonLength = Math.min(before.length, now.length);
  let equalAtStart = 0;
  while (equalAtStart < commonLength && before[equalAtStart] === now[equalAtStart]) equalAtStart++;
  let equalAtEnd = 0;
  while (
    equalAtEnd < commonLength - equalAtStart &&
    before[before.length - 1 - equalAtEnd] === now[now.length - 1 - equalAtEnd]
  )
    equalAtEnd++;
  const rowsBefore = before.length - equalAtStart - equalAtEnd;
  const rowsNow = now.length - equalAtStart - equalAtEnd;
  const rowsInWords = (count: number, first: number) =>
    count === 1 ? `row ${first}` : `rows ${first} to ${first + count - 1}`;
  if (rowsNow === 0)
    return rowsBefore === 0
      ? null
      : `${rowsBefore === 1 ? 'a row' : `${rowsBefore} rows`} removed after row ${equalAtStart}`;
  if (rowsBefore === 0) return `${rowsInWords(rowsNow, equalAtStart + 1)} added`;
  return rowsBefore === rowsNow
    ? `changes in ${rowsInWords(rowsNow, equalAtStart + 1)}`
    : `${rowsInWords(rowsBefore, equalAtStart + 1)} became ${rowsInWords(rowsNow, equalAtStart + 1)}`;
}

/** CRC-32 of every line, starting with the header. */
function rowChecksums(data: Buffer): Uint32Array {
  const checksums: number[] = [];
  for (let lineStart = 0; lineStart < data.length; ) {
    const lineFeed = data.indexOf(10, lineStart);
    const lineEnd = lineFeed === -1 ? data.length : lineFeed;
    checksums.push(crc32(data.subarray(lineStart, lineEnd)));
    lineStart = lineEnd + 1;
  }
  return Uint32Array.from(checksums);
}
