import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { deflateSync } from 'node:zlib';

/** West, south, east and north of the generated data, degrees: approximately Nigeria's. */
export const EXTENT = [2.5, 4, 14.5, 14] as const;
const [WEST, SOUTH, EAST, NORTH] = EXTENT;
const TILE = 256;
/** Number of distinct tiles; rasters reuse them at random, so that large ones are written quickly. */
const DISTINCT = 64;

/**
 * Writes a raster of `side` × `side` positive floats with noise in all bits: tiles of 256, deflate, floating-point
 * predictor. Several positions point to the same tile, which makes no difference to readers.
 */
export function writeNoise(file: string, side: number, seed: number): void {
  const random = stream(seed);
  const tiles = Array.from({ length: DISTINCT }, () => deflateSync(predict(noise(random)), { level: 6 }));
  const handle = openSync(file, 'w');
  const starts: number[] = [];
  let at = 8;
  for (const tile of tiles) {
    starts.push(at);
    writeSync(handle, tile, 0, tile.length, at);
    at += tile.length + (tile.length % 2);
  }
  const across = Math.ceil(side / TILE);
  const chosen = Array.from({ length: across * across }, () => Math.floor(random() * DISTINCT));
  const longs = (values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
  const shorts = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer);
  const doubles = (...values: number[]) => Buffer.from(Float64Array.from(values).buffer);
  const fields: [tag: number, type: number, value: Buffer][] = [
    [256, 4, longs([side])],
    [257, 4, longs([side])],
    [258, 3, shorts(32)],
    [259, 3, shorts(8)],
    [262, 3, shorts(1)],
    [277, 3, shorts(1)],
    [317, 3, shorts(3)],
    [322, 3, shorts(TILE)],
    [323, 3, shorts(TILE)],
    [324, 4, longs(chosen.map((tile) => starts[tile]!))],
    [325, 4, longs(chosen.map((tile) => tiles[tile]!.length))],
    [339, 3, shorts(3)],
    [33550, 12, doubles((EAST - WEST) / side, (NORTH - SOUTH) / side, 0)],
    [33922, 12, doubles(0, 0, 0, WEST, NORTH, 0)],
    [34735, 3, shorts(1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326)],
  ];
  const directory = Buffer.alloc(2 + 12 * fields.length + 4);
  directory.writeUInt16LE(fields.length);
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  header.writeUInt32LE(at, 4);
  let beyond = at + directory.length;
  fields.forEach(([tag, type, value], i) => {
    const entry = 2 + 12 * i;
    directory.writeUInt16LE(tag, entry);
    directory.writeUInt16LE(type, entry + 2);
    directory.writeUInt32LE(value.length / { 3: 2, 4: 4, 12: 8 }[type]!, entry + 4);
    if (value.length <= 4) value.copy(directory, entry + 8);
    else {
      directory.writeUInt32LE(beyond, entry + 8);
      writeSync(handle, value, 0, value.length, beyond);
      beyond += value.length;
    }
  });
  writeSync(handle, header, 0, 8, 0);
  writeSync(handle, directory, 0, directory.length, at);
  closeSync(handle);
}

/** Writes `across` × `down` polygons with shared wavy edges and a vertex about every hundredth of a degree. */
export function writePolygons(file: string, across: number, down: number): void {
  const [width, height] = [(EAST - WEST - 0.1) / across, (NORTH - SOUTH - 0.1) / down];
  const bend = (x: number, y: number): [number, number] => [
    WEST + 0.05 + x + 0.004 * width * (Math.sin(23 * y) + Math.sin(91 * y + x)),
    SOUTH + 0.05 + y + 0.004 * height * (Math.sin(19 * x) + Math.sin(83 * x + y)),
  ];
  const steps = (length: number) => Math.max(2, Math.ceil(length / 0.01));
  const features = Array.from({ length: across * down }, (_, k) => {
    const [i, j] = [k % across, Math.floor(k / across)];
    const along = Array.from({ length: steps(width) }, (_, step, count = steps(width)) => step / count);
    const up = Array.from({ length: steps(height) }, (_, step, count = steps(height)) => step / count);
    const ring = [
      ...along.map((share) => bend((i + share) * width, j * height)),
      ...up.map((share) => bend((i + 1) * width, (j + share) * height)),
      ...along.map((share) => bend((i + 1 - share) * width, (j + 1) * height)),
      ...up.map((share) => bend(i * width, (j + 1 - share) * height)),
    ];
    const geometry = { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
    return { type: 'Feature', properties: { id: k + 1 }, geometry };
  });
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features }));
}

/** Lehmer's random number generator (Park and Miller 1988). */
function stream(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

function noise(random: () => number): Float32Array {
  return Float32Array.from({ length: TILE * TILE }, () => Math.exp(2 * random() - 1));
}

/** The floating-point predictor of TIFF Technical Note 3. */
function predict(values: Float32Array): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  const view = new DataView(values.buffer);
  for (let row = 0; row < TILE; row++) {
    const start = row * TILE * 4;
    for (let i = 0; i < TILE; i++) {
      const bits = view.getUint32((row * TILE + i) * 4, true);
      for (let byte = 0; byte < 4; byte++) bytes[start + byte * TILE + i] = (bits >>> (24 - 8 * byte)) & 255;
    }
    for (let i = 4 * TILE - 1; i > 0; i--) bytes[start + i]! -= bytes[start + i - 1]!;
  }
  return bytes;
}
