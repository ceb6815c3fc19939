/**
 * Exact Gaussian algebra of areas within groups within a country, over n months (MODEL.md, section 4). Given the
 * country's process, groups are independent; given its group's, areas are. Every matrix is of order n, whatever the
 * number of areas.
 */
import { choleskyDense, logDeterminant, solveLower, solveLowerMatrix, solveUpper } from '../../lib/numerics/dense.ts';
import {
  dot,
  gramMatrix,
  invertInPlace,
  multiply,
  multiplyLower,
  multiplyVector,
  sandwich,
  transpose,
} from '../../lib/numerics/dense-products.ts';
import { drawMultivariateNormal } from '../../lib/numerics/distributions.ts';
import type { Random } from '../../lib/numerics/random.ts';

export interface ObservedArea {
  group: number;
  /** Deviation from the mean by month; NaN if unknown. */
  y: Float64Array;
  /** Variance of the noise by month. */
  variance: Float64Array;
}

/** The information that areas provide about their groups' processes. */
export interface AreaLayer {
  n: number;
  areas: readonly ObservedArea[];
  /** By area: (K + noise)⁻¹ over the months with data, 0 elsewhere. */
  precisions: Float64Array[];
  /** By group: sums of the precisions, and of precision × y. */
  groups: Information[];
  /** −2 ln likelihood if every group's process were 0. */
  deviance: number;
}

/** @param covariance of an area's process over the `n` months, stored by rows */
export function buildAreaLayer(
  areas: readonly ObservedArea[],
  groups: number,
  covariance: Float64Array,
  n: number,
): AreaLayer {
  const layer: AreaLayer = {
    n,
    areas,
    precisions: [],
    deviance: 0,
    groups: Array.from({ length: groups }, () => ({
      precision: new Float64Array(n * n),
      information: new Float64Array(n),
    })),
  };
  for (const area of areas) {
    const { precision, logDeterminant: logDeterminantOfArea, months } = observationInformation(area, covariance, n);
    layer.precisions.push(precision);
    const group = layer.groups[area.group]!;
    for (let i = 0; i < n * n; i++) group.precision[i]! += precision[i]!;
    let quadraticForm = 0;
    for (const t of months) {
      let sum = 0;
      for (const u of months) sum += precision[t * n + u]! * area.y[u]!;
      group.information[t]! += sum;
      quadraticForm += area.y[t]! * sum;
    }
    layer.deviance += months.length * Math.log(2 * Math.PI) + logDeterminantOfArea + quadraticForm;
  }
  return layer;
}

function observationInformation({ y, variance }: ObservedArea, covariance: Float64Array, n: number) {
  const months: number[] = [];
  for (let t = 0; t < n; t++) if (!Number.isNaN(y[t]!)) months.push(t);
  const m = months.length;
  const inverse = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < m; j++) inverse[i * m + j] = covariance[months[i]! * n + months[j]!]!;
    inverse[i * m + i]! += variance[months[i]!]!;
  }
  const logDeterminantOfArea = invertInPlace(inverse, m);
  if (m === n) return { precision: inverse, logDeterminant: logDeterminantOfArea, months };
  const precision = new Float64Array(n * n);
  for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) precision[months[i]! * n + months[j]!] = inverse[i * m + j]!;
  return { precision, logDeterminant: logDeterminantOfArea, months };
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

function gaussianPosterior(covariance: Float64Array, { precision, information }: Information, n: number): Posterior {
  const root = choleskyDense(covariance, n)!;
  const rootTransposed = transpose(root, n);
  const rootPrecision = multiply(rootTransposed, precision, n);
  const innerMatrix = multiplyLower(rootPrecision, root, n);
  for (let i = 0; i < n; i++) innerMatrix[i * n + i]! += 1;
  const factor = choleskyDense(innerMatrix, n)!;
  const projection = solveLower(factor, n, multiplyVector(rootTransposed, information, n));
  return {
    projection,
    gain: dot(projection, projection) - logDeterminant(factor, n),
    mean: () => multiplyVector(root, solveUpper(factor, n, projection.slice()), n),
    covariance: () => gramMatrix(solveLowerMatrix(factor, rootTransposed, n), n),
    marginalised() {
      const projectedPrecision = solveLowerMatrix(factor, rootPrecision, n);
      return {
        precision: subtract(precision, gramMatrix(projectedPrecision, n)),
        information: subtract(information, multiplyVector(transpose(projectedPrecision, n), projection, n)),
      };
    },
  };
}

const subtract = (a: Float64Array, b: Float64Array) => a.map((value, i) => value - b[i]!);
const add = (a: Float64Array, b: Float64Array) => a.map((value, i) => value + b[i]!);

/** Posterior of the sum of a group's process and the country's. */
export interface GroupPosterior {
  mean: Float64Array;
  covariance: Float64Array;
}

/** The areas' information about all processes above them. */
export interface CountryLayer {
  /** −2 ln likelihood. */
  deviance: number;
  posteriors(): GroupPosterior[];
  /** Joint draws of what `posteriors` describes, by group. */
  createSampler(): (random: Random) => Float64Array[];
}

/** The groups' processes given the country's, and what they provide about it. */
export interface GroupLayer {
  n: number;
  groups: readonly Information[];
  conditionals: readonly Posterior[];
  /** −2 ln likelihood if the country's process were 0. */
  deviance: number;
  /** Sums over the groups, each integrated out. */
  total(): Information;
}

/** @param covariance of a group's process */
export function buildGroupLayer({ n, groups, deviance }: AreaLayer, covariance: Float64Array): GroupLayer {
  const conditionals = groups.map((group) => gaussianPosterior(covariance, group, n));
  let total: Information | null = null;
  const addInformation = (sum: Information, { precision, information }: Information) => {
    for (let i = 0; i < n * n; i++) sum.precision[i]! += precision[i]!;
    for (let i = 0; i < n; i++) sum.information[i]! += information[i]!;
    return sum;
  };
  return {
    n,
    groups,
    conditionals,
    deviance: conditionals.reduce((sum, { gain }) => sum - gain, deviance),
    total: () => (total ??= conditionals.map((posterior) => posterior.marginalised()).reduce(addInformation)),
  };
}

/** @param covariance of the process that all groups share; null if there is one group */
export function buildCountryLayer(
  { n, groups, conditionals, deviance, total }: GroupLayer,
  covariance: Float64Array | null,
): CountryLayer {
  const groupRoots = () => conditionals.map((conditional) => choleskyDense(conditional.covariance(), n)!);
  if (covariance === null)
    return {
      deviance,
      posteriors: () =>
        conditionals.map((posterior) => ({ mean: posterior.mean(), covariance: posterior.covariance() })),
      createSampler: () => {
        const means = conditionals.map((posterior) => posterior.mean());
        const roots = groupRoots();
        return (random) => means.map((mean, g) => drawMultivariateNormal(random, mean, roots[g]!));
      },
    };
  const countryPosterior = gaussianPosterior(covariance, total(), n);
  /** A group's process plus that of the country, given the latter. */
  const conditionalMean = (country: Float64Array, g: number, groupCovariance: Float64Array): Float64Array => {
    const { precision, information } = groups[g]!;
    return add(
      country,
      multiplyVector(groupCovariance, subtract(information, multiplyVector(precision, country, n)), n),
    );
  };
  return {
    deviance: deviance - countryPosterior.gain,
    createSampler: () => {
      const [mean, root] = [countryPosterior.mean(), choleskyDense(countryPosterior.covariance(), n)!];
      const covariances = conditionals.map((conditional) => conditional.covariance());
      const roots = groupRoots();
      return (random) => {
        const country = drawMultivariateNormal(random, mean, root);
        return covariances.map((groupCovariance, g) =>
          drawMultivariateNormal(random, conditionalMean(country, g, groupCovariance), roots[g]!),
        );
      };
    },
    posteriors: () => {
      const mean = countryPosterior.mean();
      const countryCovariance = countryPosterior.covariance();
      return groups.map(({ precision }, g) => {
        const groupCovariance = conditionals[g]!.covariance();
        const shrinkage = multiply(groupCovariance, precision, n).map(
          (value, i) => (i % (n + 1) === 0 ? 1 : 0) - value,
        );
        return {
          mean: conditionalMean(mean, g, groupCovariance),
          covariance: add(groupCovariance, sandwich(shrinkage, countryCovariance, n)),
        };
      });
    },
  };
}
