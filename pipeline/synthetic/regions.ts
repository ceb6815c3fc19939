/**
 * The points to be divided into regions, as equal-length columns. `across` lists each point's neighbours (-1: none).
 */
export interface Ground {
  x: number[];
  y: number[];
  across: number[][];
}
export interface RegionSeed {
  x: number;
  y: number;
  /** Desired size, relative to the other seeds. */
  target: number;
}

const ROUNDS = 40;
/** Share of the distance to its region's centre by which a seed moves in each round. */
const DRIFT = 0.1;

/**
 * Divides `ground` into one connected region per seed, of about the desired sizes: a power diagram (least squared
 * distance minus the seed's weight) whose weights and seeds are adjusted in rounds, after which every stray piece goes
 * to the region it touches most. Every region gets at least one point; the ground itself must be connected.
 * @param spacing mean distance of points
 * @returns the seed's index by point
 */
export function growRegions(ground: Ground, seeds: RegionSeed[], spacing: number): Int32Array {
  const size = ground.x.length;
  if (size < seeds.length) throw new RangeError(`${size} points cannot make ${seeds.length} regions`);
  const region = new Int32Array(size);
  const x = seeds.map((seed) => seed.x);
  const y = seeds.map((seed) => seed.y);
  const weight = new Float64Array(seeds.length);
  const count = new Int32Array(seeds.length);
  const targets = seeds.reduce((sum, seed) => sum + seed.target, 0);
  for (let round = 0; round < ROUNDS; round++) {
    count.fill(0);
    const sumX = new Float64Array(seeds.length);
    const sumY = new Float64Array(seeds.length);
    for (let i = 0; i < size; i++) {
      let best = 0;
      let least = Number.POSITIVE_INFINITY;
      for (let k = 0; k < seeds.length; k++) {
        const dx = ground.x[i]! - x[k]!;
        const dy = ground.y[i]! - y[k]!;
        const power = dx * dx + dy * dy - weight[k]!;
        if (power < least) {
          least = power;
          best = k;
        }
      }
      region[i] = best;
      count[best]! += 1;
      sumX[best]! += ground.x[i]!;
      sumY[best]! += ground.y[i]!;
    }
    for (let k = 0; k < seeds.length; k++) {
      const target = (seeds[k]!.target * size) / targets;
      // A square region grows by about twice the increase of its weight.
      weight[k]! += 0.3 * (target - count[k]!) * spacing * spacing;
      if (count[k]! === 0) continue;
      x[k]! += DRIFT * (sumX[k]! / count[k]! - x[k]!);
      y[k]! += DRIFT * (sumY[k]! / count[k]! - y[k]!);
    }
  }
  settleEmpty(ground, region, count, x, y);
  joinStrays(ground, region, seeds.length);
  return region;
}

/** Gives an empty region the point nearest its seed, from a region that has more than one. */
function settleEmpty(ground: Ground, region: Int32Array, count: Int32Array, x: number[], y: number[]): void {
  for (let k = 0; k < count.length; k++) {
    if (count[k]! > 0) continue;
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < region.length; i++) {
      const distance = (ground.x[i]! - x[k]!) ** 2 + (ground.y[i]! - y[k]!) ** 2;
      if (count[region[i]!]! > 1 && distance < least) {
        least = distance;
        best = i;
      }
    }
    count[region[best]!]! -= 1;
    region[best] = k;
    count[k] = 1;
  }
}

/**
 * Keeps the largest piece of each region; points of other pieces go, one after another, to the region they touch most.
 */
function joinStrays(ground: Ground, region: Int32Array, regions: number): void {
  const largest: number[][] = Array.from({ length: regions }, () => []);
  const seen = new Uint8Array(region.length);
  for (let start = 0; start < region.length; start++) {
    if (seen[start]) continue;
    const piece = [start];
    seen[start] = 1;
    for (let i = 0; i < piece.length; i++) {
      for (const neighbour of ground.across[piece[i]!]!) {
        if (neighbour < 0 || seen[neighbour] || region[neighbour] !== region[start]) continue;
        seen[neighbour] = 1;
        piece.push(neighbour);
      }
    }
    const kept = region[start]!;
    if (piece.length > largest[kept]!.length) largest[kept] = piece;
  }
  const settled = new Int32Array(region.length).fill(-1);
  for (const [k, piece] of largest.entries()) for (const i of piece) settled[i] = k;
  let strays = [...settled.keys()].filter((i) => settled[i]! < 0);
  while (strays.length > 0) {
    const left = strays.filter((i) => {
      const touching = ground.across[i]!.filter((neighbour) => neighbour >= 0 && settled[neighbour]! >= 0).map(
        (neighbour) => settled[neighbour]!,
      );
      if (touching.length === 0) return true;
      touching.sort((a, b) => a - b);
      let best = touching[0]!;
      for (const k of touching) if (times(touching, k) > times(touching, best)) best = k;
      settled[i] = best;
      return false;
    });
    if (left.length === strays.length)
      throw new Error(`${left.length} points of the ground are not connected to the rest`);
    strays = left;
  }
  region.set(settled);
}

function times(values: number[], value: number): number {
  return values.filter((one) => one === value).length;
}
