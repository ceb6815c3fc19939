/**
 * Exact Gaussian algebra of areas within groups within a country, over n months (MODEL.md, section 4). Given the
 * country's process, groups are independent; given its group's, areas are. Every matrix is of order n, whatever the
 * number of areas.
 */
import { choleskyDense, logDeterminant, solveLower, solveLowerRows, solveUpper } from '../../lib/numerics/dense.ts';
import {
  dot,
  gramMatrix,
  invertInPlace,
  multiply,
  multiplyVector,
  sandwich,
  timesLower,
  transpose,
} from '../../lib/numerics/dense-products.ts';
import { drawNormals } from '../../lib/numerics/distributions.ts';
import type { Random } from '../../lib/numerics/random.ts';

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
  /** By area: (K + noise)⁻¹ over the months with data, 0 elsewhere. */
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
    const { precision, logDeterminant, months } = observationInformation(area, covariance, n);
    part.precision.push(precision);
    const group = part.groups[area.group]!;
    for (let i = 0; i < n * n; i++) group.precision[i]! += precision[i]!;
    let square = 0;
    for (const t of months) {
      let sum = 0;
      for (const u of months) sum += precision[t * n + u]! * area.y[u]!;
      group.information[t]! += sum;
      square += area.y[t]! * sum;
    }
    part.deviance += months.length * Math.log(2 * Math.PI) + logDeterminant + square;
  }
  return part;
}

function observationInformation({ y, variance }: Observed, covariance: Float64Array, n: number) {
  const months: number[] = [];
  for (let t = 0; t < n; t++) if (!Number.isNaN(y[t]!)) months.push(t);
  const m = months.length;
  const inverse = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < m; j++) inverse[i * m + j] = covariance[months[i]! * n + months[j]!]!;
    inverse[i * m + i]! += variance[months[i]!]!;
  }
  const logDeterminant = invertInPlace(inverse, m);
  if (m === n) return { precision: inverse, logDeterminant, months };
  const precision = new Float64Array(n * n);
  for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) precision[months[i]! * n + months[j]!] = inverse[i * m + j]!;
  return { precision, logDeterminant, months };
}

/** Information about a process: a precision matrix, and precision × values. */
interface Information {
  precision: Float64Array;
  information: Float64Array;
}
/** Posterior of a process with prior covariance K = R Rᵀ, by the factor L of I + Rᵀ P R, with P the precision. */
interface Posterior {
  /** L⁻¹ Rᵀ x, with x the information. */
  projection: Float64Array;
  /** Reduction of −2 ln likelihood. */
  gain: number;
  mean(): Float64Array;
  /** (K⁻¹ + P)⁻¹ */
  covariance(): Float64Array;
  /** What it provides about the process of which it is a part, itself integrated out: P − P W P and x − P W x. */
  marginalised(): Information;
}

function gaussianPosterior(k: Float64Array, { precision, information }: Information, n: number): Posterior {
  const root = choleskyDense(k, n)!;
  const across = transpose(root, n);
  const weighted = multiply(across, precision, n);
  const inner = timesLower(weighted, root, n);
  for (let i = 0; i < n; i++) inner[i * n + i]! += 1;
  const factor = choleskyDense(inner, n)!;
  const projection = solveLower(factor, n, multiplyVector(across, information, n));
  return {
    projection,
    gain: dot(projection, projection) - logDeterminant(factor, n),
    mean: () => multiplyVector(root, solveUpper(factor, n, projection.slice()), n),
    covariance: () => gramMatrix(solveLowerRows(factor, across, n), n),
    marginalised() {
      const reduced = solveLowerRows(factor, weighted, n);
      return {
        precision: minus(precision, gramMatrix(reduced, n)),
        information: minus(information, multiplyVector(transpose(reduced, n), projection, n)),
      };
    },
  };
}

const minus = (a: Float64Array, b: Float64Array) => a.map((value, i) => value - b[i]!);
const plus = (a: Float64Array, b: Float64Array) => a.map((value, i) => value + b[i]!);

/** Posterior of the sum of a group's process and the country's. */
export interface GroupPosterior {
  mean: Float64Array;
  covariance: Float64Array;
}

/** The areas' information about all processes above them. */
export interface CountryPart {
  /** −2 ln likelihood. */
  deviance: number;
  posteriors(): GroupPosterior[];
  /** Joint draws of what `posteriors` describes, by group. */
  drawer(): (random: Random) => Float64Array[];
}

/** The groups' processes given the country's, and what they provide about it. */
export interface GroupPart {
  n: number;
  groups: readonly Information[];
  conditionals: readonly Posterior[];
  /** −2 ln likelihood if the country's process were 0. */
  deviance: number;
  /** Sums over the groups, each integrated out. */
  total(): Information;
}

/** @param covariance of a group's process */
export function groupPart({ n, groups, deviance }: AreaPart, covariance: Float64Array): GroupPart {
  const conditionals = groups.map((group) => gaussianPosterior(covariance, group, n));
  let total: Information | null = null;
  const add = (sum: Information, { precision, information }: Information) => {
    for (let i = 0; i < n * n; i++) sum.precision[i]! += precision[i]!;
    for (let i = 0; i < n; i++) sum.information[i]! += information[i]!;
    return sum;
  };
  return {
    n,
    groups,
    conditionals,
    deviance: conditionals.reduce((sum, { gain }) => sum - gain, deviance),
    total: () => (total ??= conditionals.map((posterior) => posterior.marginalised()).reduce(add)),
  };
}

/** @param covariance of the process that all groups share; null if there is one group */
export function countryPart(
  { n, groups, conditionals, deviance, total }: GroupPart,
  covariance: Float64Array | null,
): CountryPart {
  const roots = () => conditionals.map((conditional) => choleskyDense(conditional.covariance(), n)!);
  if (covariance === null)
    return {
      deviance,
      posteriors: () =>
        conditionals.map((posterior) => ({ mean: posterior.mean(), covariance: posterior.covariance() })),
      drawer: () => {
        const means = conditionals.map((posterior) => posterior.mean());
        const spreads = roots();
        return (random) => means.map((mean, g) => drawNormals(random, mean, spreads[g]!));
      },
    };
  const shared = gaussianPosterior(covariance, total(), n);
  /** A group's process plus that of the country, given the latter. */
  const given = (country: Float64Array, g: number, w: Float64Array): Float64Array => {
    const { precision, information } = groups[g]!;
    return plus(country, multiplyVector(w, minus(information, multiplyVector(precision, country, n)), n));
  };
  return {
    deviance: deviance - shared.gain,
    drawer: () => {
      const [mean, root] = [shared.mean(), choleskyDense(shared.covariance(), n)!];
      const covariances = conditionals.map((conditional) => conditional.covariance());
      const spreads = roots();
      return (random) => {
        const country = drawNormals(random, mean, root);
        return covariances.map((w, g) => drawNormals(random, given(country, g, w), spreads[g]!));
      };
    },
    posteriors: () => {
      const mean = shared.mean();
      const spread = shared.covariance();
      return groups.map(({ precision }, g) => {
        const w = conditionals[g]!.covariance();
        const keep = multiply(w, precision, n).map((value, i) => (i % (n + 1) === 0 ? 1 : 0) - value);
        return {
          mean: given(mean, g, w),
          covariance: plus(w, sandwich(keep, spread, n)),
        };
      });
    },
  };
}
