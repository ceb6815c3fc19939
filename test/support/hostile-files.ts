/**
 * Mutations of small valid files, read one after the other: `node hostile-files.ts DIRECTORY SEED…`, with `FIRST-` for
 * all seeds from FIRST on. Prints a line for each file before it is read. Readers must refuse whatever they cannot
 * read: the process ends at any other error, and at a file that takes too much time or memory.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import mapshaper from 'mapshaper';
import { recogniseFile } from '../../pipeline/intake/draft/recognise.ts';
import { randomStream } from '../../pipeline/lib/numerics/random.ts';
import { encodeTiff, type TiffOptions } from '../pipeline/tiff-encoder.ts';
import { tinyCountry } from './tiny-country.ts';

/** Files of one name, such as the parts of a shapefile, by extension. The first is the one to read. */
type Valid = Record<string, Buffer>;

const WGS84 = 'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],UNIT["degree",0.0174532925]]';

async function validFiles(): Promise<Valid[]> {
  const { files } = tinyCountry();
  const outlines = Buffer.from(files['lgas.geojson']!);
  const table = Buffer.from(String(files['surveys.csv']).split('\n').slice(0, 8).join('\n').concat('\n'));
  const made = await mapshaper.applyCommands('-i a.json -o a.shp -o a.topojson', { 'a.json': outlines });
  const part = (name: string) => Buffer.from(made[name]!);
  const shapefile = { '.shp': part('a.shp'), '.shx': part('a.shx'), '.dbf': part('a.dbf'), '.prj': Buffer.from(WGS84) };
  const zipped = Object.fromEntries(Object.entries(shapefile).map(([extension, bytes]) => [`a${extension}`, bytes]));
  const [header, ...rows] = String(table)
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const records = rows.map((row) => Object.fromEntries(row.map((cell, i) => [header![i], cell])));
  return [
    shapefile,
    shapefile,
    { '.zip': Buffer.from(zipSync(zipped)) },
    { '.geojson': outlines },
    { '.topojson': part('a.topojson') },
    { '.csv': table },
    { '.csv.gz': gzipSync(table) },
    { '.dbf': shapefile['.dbf'], '.cpg': Buffer.from('UTF-8') },
    { '.json': Buffer.from(JSON.stringify(records)) },
    { '.json': Buffer.from(JSON.stringify({ headers: header!.map((name) => ({ name })), rows })) },
    ...TIFFS.map((options) => ({ '.tif': encodeTiff([CELLS], { ...TIFF, ...options }) })),
  ];
}

const CELLS = Array.from({ length: 20 }, (_, row) => Array.from({ length: 24 }, (_, column) => row * column));
const TIFF: TiffOptions = {
  type: 'float32',
  compression: 'none',
  predictor: 1,
  littleEndian: true,
  big: false,
  block: { rows: 7 },
  bands: 1,
  planar: false,
  southUp: false,
};
const TIFFS: Partial<TiffOptions>[] = [
  { nodata: '-9999' },
  { compression: 'deflate', block: { columns: 16, rows: 16 }, predictor: 3 },
  { compression: 'lzw', type: 'int16', predictor: 2, littleEndian: false, scale: 0.1 },
  { compression: 'zstd', big: true, type: 'float64' },
  { compression: 'packbits', type: 'uint8', southUp: true },
  { compression: 'old-deflate', type: 'int64', predictor: 2, big: true, littleEndian: false, offset: 2 },
];

/** Numbers that sizes, counts and offsets should not be, and text that breaks formats. */
const NUMBERS = [0, 1, 7, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];
const TEXTS = [
  '"',
  ',',
  '\n',
  '\r',
  '\0',
  '\\u0000',
  'null',
  '{}',
  '[]',
  '[[',
  '}',
  '1e999',
  '-',
  'é',
  '__proto__',
  '9',
];

/** A copy of `bytes` with one to four mutations. */
function mutate(bytes: Buffer, random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  const one = <T>(list: readonly T[]) => list[below(list.length)]!;
  // Structure is at the beginning of most formats.
  const place = (from: Buffer) => below(random() < 0.5 ? Math.min(256, from.length) : from.length);
  const kinds: ((from: Buffer) => Buffer)[] = [
    (from) => {
      const to = Buffer.from(from);
      if (to.length > 0) to[place(to)]! ^= 1 << below(8);
      return to;
    },
    (from) => from.subarray(0, place(from)),
    (from) => {
      const width = one([2, 4, 4, 8]);
      if (from.length < width) return from;
      const to = Buffer.from(from);
      const at = Math.min(place(to), to.length - width);
      const value = one([...NUMBERS, to.length, to.length - 1]);
      const number = Buffer.alloc(8);
      if (random() < 0.5) number.writeBigUInt64LE(BigInt(value));
      else number.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value) << BigInt(64 - 8 * width)));
      number.copy(to, at, 0, width);
      return to;
    },
    (from) => {
      const [start, at] = [place(from), place(from)];
      const block = from.subarray(start, start + 1 + below(64));
      const copies = Array.from({ length: one([1, 1, 2, 100]) }, () => block);
      return Buffer.concat([from.subarray(0, at), ...copies, from.subarray(at)]);
    },
    (from) => {
      const at = place(from);
      return Buffer.concat([from.subarray(0, at), from.subarray(at + 1 + below(32))]);
    },
    (from) => {
      const at = place(from);
      const text = Buffer.from(one(TEXTS).repeat(one([1, 1, 1, 20_000])));
      return Buffer.concat([from.subarray(0, at), text, from.subarray(at + below(4))]);
    },
  ];
  return Array.from({ length: 1 + below(4) }, () => one(kinds)).reduce((from, kind) => kind(from), bytes);
}

const valid = await validFiles();
const [directory, ...seeds] = process.argv.slice(2) as [string, ...string[]];

/** Reads the file of a seed. @returns why it was refused; empty if it was read */
async function readMutation(seed: number): Promise<string> {
  const { uniform } = randomStream(seed, 'hostile files');
  const parts = valid[seed % valid.length]!;
  const names = Object.keys(parts).map((extension) => `a${extension}`);
  const changed = names[Math.floor(uniform() * names.length)]!;
  process.stdout.write(`seed ${seed}: ${names[0]}, its ${changed}\n`);
  for (const [extension, bytes] of Object.entries(parts))
    writeFileSync(path.join(directory, `a${extension}`), changed === `a${extension}` ? mutate(bytes, uniform) : bytes);
  const [found] = await recogniseFile(directory, names[0]!, names);
  for (const name of names) rmSync(path.join(directory, name));
  return found?.kind === 'left out' ? found.why : '';
}

for (const argument of seeds) {
  const first = Number.parseInt(argument, 10);
  for (let seed = first; seed === first || argument.endsWith('-'); seed++) {
    const before = process.cpuUsage();
    const why = await readMutation(seed);
    const { user, system } = process.cpuUsage(before);
    const [seconds, mebibytes] = [(user + system) / 1e6, process.resourceUsage().maxRSS / 1024];
    if (/[[\p{Cc}\p{Zl}\p{Zp}]--\t]/v.test(why))
      throw new Error(`a message of several lines, or with control characters: ${why}`);
    if (why.length > 2000) throw new Error(`a message of ${why.length} characters`);
    if (seconds > 10) throw new Error(`${seconds.toFixed(1)} s`);
    if (mebibytes > 1024) throw new Error(`${mebibytes.toFixed()} MiB of memory`);
  }
}
