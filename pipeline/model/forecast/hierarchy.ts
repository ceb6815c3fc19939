/**
 * Exact Gaussian algebra of areas within groups within a country, over n months (MODEL.md, section 4). Given the
 * country's process, groups are independent; given its group's, areas are. Every matrix is of order n, whatever the
 * number of areas.
 */
import { choleskyDense, logDeterminant } from '../../lib/numerics/dense.ts';
import {
  dot,
  invertLower,
  multiply,
  multiplyVector,
  sandwich,
  squareOf,
  squareOfLower,
  transpose,
} from '../../lib/numerics/dense-products.ts';

export interface Observed {
  group: number;
  /** Deviation from the mean by month; NaN if unknown. */
  y: Float64Array;
  /** Variance of the noise by month. */
  variance: Float64Array;
}

/** The information that areas provide about their groups' processes. */
export interface AreaPart {
  n: number;
  areas: readonly Observed[];
  /** By area: (K + noise)⁻¹ over the known months, 0 elsewhere. */
  precision: Float64Array[];
  /** By group: sums of the precisions, and of precision × y. */
  groups: Information[];
  /** −2 ln likelihood if every group's process were 0. */
  deviance: number;
}

/** @param covariance of an area's process over the `n` months, stored by rows */
export function areaPart(areas: readonly Observed[], groups: number, covariance: Float64Array, n: number): AreaPart {
  const part: AreaPart = {
    n,
    areas,
    precision: [],
    deviance: 0,
    groups: Array.from({ length: groups }, () => ({
      precision: new Float64Array(n * n),
      information: new Float64Array(n),
    })),
  };
  for (const area of areas) {
    const { precision, logDeterminant, known } = precisionOf(area, covariance, n);
    part.precision.push(precision);
    const group = part.groups[area.group]!;
    for (let i = 0; i < n * n; i++) group.precision[i]! += precision[i]!;
    let square = 0;
    for (const t of known) {
      let sum = 0;
      for (const u of known) sum += precision[t * n + u]! * area.y[u]!;
      group.information[t]! += sum;
      square += area.y[t]! * sum;
    }
    part.deviance += known.length * Math.log(2 * Math.PI) + logDeterminant + square;
  }
  return part;
}

function precisionOf({ y, variance }: Observed, covariance: Float64Array, n: number) {
  const known: number[] = [];
  for (let t = 0; t < n; t++) if (!Number.isNaN(y[t]!)) known.push(t);
  const m = known.length;
  const matrix = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) matrix[i * m + j] = covariance[known[i]! * n + known[j]!]!;
    matrix[i * m + i]! += variance[known[i]!]!;
  }
  const factor = choleskyDense(matrix, m)!;
  const inverse = squareOfLower(invertLower(factor, m), m);
  const precision = new Float64Array(n * n);
  for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) precision[known[i]! * n + known[j]!] = inverse[i * m + j]!;
  return { precision, logDeterminant: logDeterminant(factor, m), known };
}

/** Information about a process: a precision matrix, and precision × values. */
interface Information {
  precision: Float64Array;
  information: Float64Array;
}
/**
 * Posterior of a process with prior covariance K: covariance (K⁻¹ + precision)⁻¹ = halfᵀ half, mean halfᵀ projection.
 */
interface Posterior {
  half: Float64Array;
  projection: Float64Array;
  /** Reduction of −2 ln likelihood. */
  gain: number;
}

function posteriorOf(k: Float64Array, { precision, information }: Information, n: number): Posterior {
  const root = choleskyDense(k, n)!;
  const across = transpose(root, n);
  const inner = multiply(multiply(across, precision, n), root, n);
  for (let i = 0; i < n; i++) inner[i * n + i]! += 1;
  const factor = choleskyDense(inner, n)!;
  const half = multiply(invertLower(factor, n), across, n);
  const projection = multiplyVector(half, information, n);
  return { half, projection, gain: dot(projection, projection) - logDeterminant(factor, n) };
}

const meanOf = ({ half, projection }: Posterior, n: number) => multiplyVector(transpose(half, n), projection, n);

/** Information that a group provides about the country's process, its own integrated out: P − P W P and x − P W x. */
function marginalised(
  { precision, information }: Information,
  { half, projection }: Posterior,
  n: number,
): Information {
  const across = multiply(half, precision, n);
  const lost = squareOf(across, n);
  const shift = multiplyVector(transpose(across, n), projection, n);
  return { precision: minus(precision, lost), information: minus(information, shift) };
}

const minus = (a: Float64Array, b: Float64Array) => a.map((value, i) => value - b[i]!);
const plus = (a: Float64Array, b: Float64Array) => a.map((value, i) => value + b[i]!);

/** Posterior of the sum of a group's process and the country's. */
export interface GroupPosterior {
  mean: Float64Array;
  covariance: Float64Array;
}

/** @param country covariance of the process that all groups share; null if there is one group */
export function groupPart(
  { n, groups, deviance }: AreaPart,
  group: Float64Array,
  country: Float64Array | null,
): { deviance: number; posteriors: () => GroupPosterior[] } {
  const own = groups.map((known) => posteriorOf(group, known, n));
  const groupDeviance = own.reduce((sum, { gain }) => sum - gain, deviance);
  if (country === null)
    return {
      deviance: groupDeviance,
      posteriors: () =>
        own.map((posterior) => ({ mean: meanOf(posterior, n), covariance: squareOf(posterior.half, n) })),
    };

  const fromGroups = groups.map((known, g) => marginalised(known, own[g]!, n));
  const total = fromGroups.reduce((a, b) => ({
    precision: plus(a.precision, b.precision),
    information: plus(a.information, b.information),
  }));
  const shared = posteriorOf(country, total, n);
  return {
    deviance: groupDeviance - shared.gain,
    posteriors: () => {
      const mean = meanOf(shared, n);
      const covariance = squareOf(shared.half, n);
      return groups.map(({ precision, information }, g) => {
        const w = squareOf(own[g]!.half, n);
        const rest = minus(information, multiplyVector(precision, mean, n));
        const keep = multiply(w, precision, n).map((value, i) => (i % (n + 1) === 0 ? 1 : 0) - value);
        return {
          mean: plus(mean, multiplyVector(w, rest, n)),
          covariance: plus(w, sandwich(keep, covariance, n)),
        };
      });
    },
  };
}
