/**
 * Exact Gaussian algebra of areas within groups within a whole, over n months (MODEL.md, section 4). Given the whole's
 * course, groups are independent; given its group's, areas are. So every matrix is of order n, whatever the number of areas.
 */
import { choleskyDense, logDeterminant } from '../../numerics/dense.ts';
import {
  dot,
  invertLower,
  multiply,
  multiplyVector,
  sandwich,
  squareOf,
  squareOfLower,
  transpose,
} from '../../numerics/dense-products.ts';

export interface Observed {
  group: number;
  /** Deviation from the mean by month; NaN is unknown. */
  y: Float64Array;
  /** Variance of the noise by month. */
  variance: Float64Array;
}

/** What areas say of their groups' courses. */
export interface AreaPart {
  n: number;
  areas: readonly Observed[];
  /** By area: (K + noise)⁻¹ over the known months, 0 elsewhere. */
  precision: Float64Array[];
  /** By group: sums of the precisions, and of precision × y. */
  groups: Known[];
  /** −2 ln likelihood if every group's course were 0. */
  deviance: number;
}

export function areaPart(areas: readonly Observed[], groups: number, covariance: Float64Array, n: number): AreaPart {
  const part: AreaPart = {
    ...{ n, areas, precision: [], deviance: 0 },
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

/** What is known of a course with covariance K through information on it: a precision, and precision × values. */
interface Known {
  precision: Float64Array;
  information: Float64Array;
}
/** (K⁻¹ + precision)⁻¹ = halfᵀ half is its covariance, halfᵀ seen its mean. */
interface Course {
  half: Float64Array;
  seen: Float64Array;
  /** What it takes from −2 ln likelihood. */
  gain: number;
}

function courseOf(k: Float64Array, { precision, information }: Known, n: number): Course {
  const root = choleskyDense(k, n)!;
  const across = transpose(root, n);
  const inner = multiply(multiply(across, precision, n), root, n);
  for (let i = 0; i < n; i++) inner[i * n + i]! += 1;
  const factor = choleskyDense(inner, n)!;
  const half = multiply(invertLower(factor, n), across, n);
  const seen = multiplyVector(half, information, n);
  return { half, seen, gain: dot(seen, seen) - logDeterminant(factor, n) };
}

const meanOf = ({ half, seen }: Course, n: number) => multiplyVector(transpose(half, n), seen, n);

/** What a group, its own course unknown, says of what it adds to: P − P W P and x − P W x. */
function throughCourse({ precision, information }: Known, { half, seen }: Course, n: number): Known {
  const across = multiply(half, precision, n);
  const lost = squareOf(across, n);
  const shift = multiplyVector(transpose(across, n), seen, n);
  return { precision: minus(precision, lost), information: minus(information, shift) };
}

const minus = (a: Float64Array, b: Float64Array) => a.map((value, i) => value - b[i]!);
const plus = (a: Float64Array, b: Float64Array) => a.map((value, i) => value + b[i]!);

/** A group's course with the whole's, given everything. */
export interface GroupCourse {
  mean: Float64Array;
  covariance: Float64Array;
}

/** @param whole covariance of what all groups share; null where there is one group */
export function groupPart(
  { n, groups, deviance }: AreaPart,
  group: Float64Array,
  whole: Float64Array | null,
): { deviance: number; courses: () => GroupCourse[] } {
  const own = groups.map((known) => courseOf(group, known, n));
  const left = own.reduce((sum, { gain }) => sum - gain, deviance);
  if (whole === null)
    return {
      deviance: left,
      courses: () => own.map((course) => ({ mean: meanOf(course, n), covariance: squareOf(course.half, n) })),
    };

  const said = groups.map((known, g) => throughCourse(known, own[g]!, n));
  const known = said.reduce((a, b) => ({
    precision: plus(a.precision, b.precision),
    information: plus(a.information, b.information),
  }));
  const shared = courseOf(whole, known, n);
  return {
    deviance: left - shared.gain,
    courses: () => {
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
