import type { Random } from '../../lib/numerics/random.ts';

/**
 * A Matérn field of smoothness 1 on a regular lattice in the plane, by the stochastic partial differential equation
 * (κ² − ∇²) z = white noise (Lindgren, Rue & Lindström 2011, J. R. Stat. Soc. B 73:423). With the lattice's five-point
 * Laplacian G (reflecting at its edge) and spacing h,
 *
 *   precision Q = c (a I + G)²,   a = (κh)²,   κ = √8 / range,   c = s / σ²,
 *
 * where `range` is the distance at which the correlation is about 0.14, and s is the scale that gives the lattice's
 * middle node the standard deviation σ. Variances are inflated near the edge, so leave a margin. Nigeria's range is
 * estimated at about 1,180 km, and the margin is a tenth of that: the prior variance in the country's corners is twice
 * that in the middle. A margin of half the range moved scores by 0.005 on average and a fold's log score by 0.002, and
 * took one and a half times as long.
 */
export interface Lattice {
  /** First node, km in the plane. */
  x: number;
  y: number;
  spacing_km: number;
  nx: number;
  ny: number;
}

/** The smallest lattice that reaches `margin_km` beyond all points. Node (i, j) has the index j · nx + i. */
export function latticeAround(
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  spacing_km: number,
  margin_km: number,
): Lattice {
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let k = 0; k < xs.length; k++) {
    west = Math.min(west, xs[k]!);
    east = Math.max(east, xs[k]!);
    south = Math.min(south, ys[k]!);
    north = Math.max(north, ys[k]!);
  }
  const steps = (from: number, to: number) => Math.ceil((to - from + 2 * margin_km) / spacing_km) + 1;
  return { x: west - margin_km, y: south - margin_km, spacing_km, nx: steps(west, east), ny: steps(south, north) };
}

/** The four nodes around a point of the lattice and their bilinear weights. */
export function bilinearWeights({ x, y, spacing_km, nx, ny }: Lattice, px: number, py: number) {
  const u = (px - x) / spacing_km;
  const v = (py - y) / spacing_km;
  if (!(u >= 0 && v >= 0 && u <= nx - 1 && v <= ny - 1))
    throw new RangeError(`point (${px}, ${py}) km is outside the lattice`);
  const i = Math.min(nx - 2, Math.floor(u));
  const j = Math.min(ny - 2, Math.floor(v));
  const s = u - i;
  const t = v - j;
  const node = j * nx + i;
  return {
    nodes: [node, node + 1, node + nx, node + nx + 1],
    weights: [(1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t],
  };
}

/** Entries of G and G² for pairs of nodes up to two steps apart, i ≥ j. */
export interface Stencil {
  i: Int32Array;
  j: Int32Array;
  g: Float64Array;
  gg: Float64Array;
}

export function createStencil({ nx, ny }: Lattice): Stencil {
  const neighbours = (k: number) => {
    const [i, j] = [k % nx, Math.floor(k / nx)];
    const nodes: number[] = [];
    if (j > 0) nodes.push(k - nx);
    if (i > 0) nodes.push(k - 1);
    if (i < nx - 1) nodes.push(k + 1);
    if (j < ny - 1) nodes.push(k + nx);
    return nodes;
  };
  const rowOfG = (k: number): [number, number][] => {
    const adjacent = neighbours(k);
    return [[k, adjacent.length], ...adjacent.map((m): [number, number] => [m, -1])];
  };
  const [rows, columns, gs, ggs]: number[][] = [[], [], [], []];
  for (let k = 0; k < nx * ny; k++) {
    const g = new Map(rowOfG(k));
    const gg = new Map<number, number>();
    for (const [m, value] of g) for (const [l, factor] of rowOfG(m)) gg.set(l, (gg.get(l) ?? 0) + value * factor);
    for (const [l, value] of gg) {
      if (l > k) continue;
      rows!.push(k);
      columns!.push(l);
      gs!.push(g.get(l) ?? 0);
      ggs!.push(value);
    }
  }
  return {
    i: Int32Array.from(rows!),
    j: Int32Array.from(columns!),
    g: Float64Array.from(gs!),
    gg: Float64Array.from(ggs!),
  };
}

/** G's eigenvalues along one side of n nodes, 2 − 2 cos(πk/n), and its eigenvectors, cosines: `vectors[k * n + i]`. */
function cosineBasis(n: number) {
  const values = Float64Array.from({ length: n }, (_, k) => 2 - 2 * Math.cos((Math.PI * k) / n));
  const vectors = Float64Array.from({ length: n * n }, (_, m) => {
    const [k, i] = [Math.floor(m / n), m % n];
    return Math.sqrt((k === 0 ? 1 : 2) / n) * Math.cos((Math.PI * k * (i + 0.5)) / n);
  });
  return { values, vectors };
}

/** The quantities that depend on the lattice alone. */
export function prepareMaternField(lattice: Lattice) {
  return { lattice, stencil: createStencil(lattice), x: cosineBasis(lattice.nx), y: cosineBasis(lattice.ny) };
}
export type MaternField = ReturnType<typeof prepareMaternField>;

/** `a` and `c` of the precision. */
export interface MaternScale {
  a: number;
  c: number;
}

/** The scale of a field of range `range_km` and standard deviation `sigma`. */
export function maternScale(
  { lattice: { nx, ny, spacing_km }, x: basis_x, y: basis_y }: MaternField,
  range_km: number,
  sigma: number,
): MaternScale {
  const a = 8 * (spacing_km / range_km) ** 2;
  const [middleX, middleY] = [nx >> 1, ny >> 1];
  let variance = 0;
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++)
      variance +=
        ((basis_x.vectors[i * nx + middleX]! * basis_y.vectors[j * ny + middleY]!) /
          (a + basis_x.values[i]! + basis_y.values[j]!)) **
        2;
  return { a, c: variance / (sigma * sigma) };
}

/** Values of Q in the stencil's order. */
export function maternPrecision({ stencil }: MaternField, { a, c }: MaternScale): Float64Array {
  return stencil.gg.map((gg, e) => c * (gg + 2 * a * stencil.g[e]! + (stencil.i[e] === stencil.j[e] ? a * a : 0)));
}

/** ln |Q|. */
export function maternLogDeterminant({ x, y: basis_y }: MaternField, { a, c }: MaternScale): number {
  let sum = 0;
  for (const v of basis_y.values) for (const u of x.values) sum += 2 * Math.log(a + u + v);
  return sum + x.values.length * basis_y.values.length * Math.log(c);
}

/** A draw of the field at every node. */
export function drawMatern({ lattice: { nx, ny }, x, y: basis_y }: MaternField, { a, c }: MaternScale, random: Random) {
  const rowsDone = new Float64Array(nx * ny);
  for (let l = 0; l < ny; l++)
    for (let k = 0; k < nx; k++) {
      const amplitude = random.normal() / (Math.sqrt(c) * (a + x.values[k]! + basis_y.values[l]!));
      for (let i = 0; i < nx; i++) rowsDone[l * nx + i]! += amplitude * x.vectors[k * nx + i]!;
    }
  const field = new Float64Array(nx * ny);
  for (let l = 0; l < ny; l++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++) field[j * nx + i]! += rowsDone[l * nx + i]! * basis_y.vectors[l * ny + j]!;
  return field;
}
