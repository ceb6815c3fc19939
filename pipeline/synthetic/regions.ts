import { flood } from './lattice.ts';

/**
 * The points to be divided into regions, as equal-length columns. `neighbours` lists those of each point (-1: none).
 */
export interface Ground {
  x: number[];
  y: number[];
  neighbours: number[][];
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
export function divideIntoRegions(ground: Ground, seeds: RegionSeed[], spacing: number): Int32Array {
  const pointCount = ground.x.length;
  if (pointCount < seeds.length) throw new RangeError(`${pointCount} points cannot make ${seeds.length} regions`);
  const regionByPoint = new Int32Array(pointCount);
  const x = seeds.map((seed) => seed.x);
  const y = seeds.map((seed) => seed.y);
  const weight = new Float64Array(seeds.length);
  const pointsByRegion = new Int32Array(seeds.length);
  const sumOfTargets = seeds.reduce((sum, seed) => sum + seed.target, 0);
  for (let round = 0; round < ROUNDS; round++) {
    pointsByRegion.fill(0);
    const sumX = new Float64Array(seeds.length);
    const sumY = new Float64Array(seeds.length);
    for (let i = 0; i < pointCount; i++) {
      let nearestSeed = 0;
      let leastPower = Number.POSITIVE_INFINITY;
      for (let k = 0; k < seeds.length; k++) {
        const dx = ground.x[i]! - x[k]!;
        const dy = ground.y[i]! - y[k]!;
        const power = dx * dx + dy * dy - weight[k]!;
        if (power < leastPower) {
          leastPower = power;
          nearestSeed = k;
        }
      }
      regionByPoint[i] = nearestSeed;
      pointsByRegion[nearestSeed]! += 1;
      sumX[nearestSeed]! += ground.x[i]!;
      sumY[nearestSeed]! += ground.y[i]!;
    }
    for (let k = 0; k < seeds.length; k++) {
      const target = (seeds[k]!.target * pointCount) / sumOfTargets;
      // A square region grows by about twice the increase of its weight.
      weight[k]! += 0.3 * (target - pointsByRegion[k]!) * spacing * spacing;
      if (pointsByRegion[k]! === 0) continue;
      x[k]! += DRIFT * (sumX[k]! / pointsByRegion[k]! - x[k]!);
      y[k]! += DRIFT * (sumY[k]! / pointsByRegion[k]! - y[k]!);
    }
  }
  fillEmptyRegions(ground, regionByPoint, pointsByRegion, x, y);
  joinStrays(ground, regionByPoint, seeds.length);
  return regionByPoint;
}

/** Gives an empty region the point nearest its seed, from a region that has more than one. */
function fillEmptyRegions(
  ground: Ground,
  regionByPoint: Int32Array,
  pointsByRegion: Int32Array,
  x: number[],
  y: number[],
): void {
  for (let k = 0; k < pointsByRegion.length; k++) {
    if (pointsByRegion[k]! > 0) continue;
    let nearestPoint = -1;
    let leastDistance = Number.POSITIVE_INFINITY;
    for (let i = 0; i < regionByPoint.length; i++) {
      const distance = (ground.x[i]! - x[k]!) ** 2 + (ground.y[i]! - y[k]!) ** 2;
      if (pointsByRegion[regionByPoint[i]!]! > 1 && distance < leastDistance) {
        leastDistance = distance;
        nearestPoint = i;
      }
    }
    pointsByRegion[regionByPoint[nearestPoint]!]! -= 1;
    regionByPoint[nearestPoint] = k;
    pointsByRegion[k] = 1;
  }
}

/**
 * Keeps the largest piece of each region; points of other pieces go, one after another, to the region they touch most.
 */
function joinStrays(ground: Ground, regionByPoint: Int32Array, regionCount: number): void {
  const largestPieces: number[][] = Array.from({ length: regionCount }, () => []);
  const visited = new Uint8Array(regionByPoint.length);
  for (let start = 0; start < regionByPoint.length; start++) {
    if (visited[start]) continue;
    const startRegion = regionByPoint[start]!;
    const isOfRegion = (point: number) => regionByPoint[point] === startRegion;
    const piece = flood(start, isOfRegion, (point) => ground.neighbours[point]!, visited);
    if (piece.length > largestPieces[startRegion]!.length) largestPieces[startRegion] = piece;
  }
  const joined = new Int32Array(regionByPoint.length).fill(-1);
  for (const [k, piece] of largestPieces.entries()) for (const i of piece) joined[i] = k;
  let strays = [...joined.keys()].filter((i) => joined[i]! < 0);
  while (strays.length > 0) {
    const remaining = strays.filter((i) => {
      const touchedRegions = ground.neighbours[i]!.filter((neighbour) => neighbour >= 0 && joined[neighbour]! >= 0).map(
        (neighbour) => joined[neighbour]!,
      );
      if (touchedRegions.length === 0) return true;
      touchedRegions.sort((a, b) => a - b);
      let mostTouched = touchedRegions[0]!;
      for (const k of touchedRegions)
        if (countEqual(touchedRegions, k) > countEqual(touchedRegions, mostTouched)) mostTouched = k;
      joined[i] = mostTouched;
      return false;
    });
    if (remaining.length === strays.length)
      throw new Error(`${remaining.length} points of the ground are not connected to the rest`);
    strays = remaining;
  }
  regionByPoint.set(joined);
}

function countEqual(values: number[], value: number): number {
  return values.filter((one) => one === value).length;
}
