import { describe, expect, test } from 'vitest';
import { coursesOfAreas, squaredNoise } from '../../../../pipeline/forecast/case-model/area-courses.ts';
import { covarianceOf } from '../../../../pipeline/forecast/case-model/covariance.ts';
import { areaPart, groupPart, type Observed } from '../../../../pipeline/forecast/case-model/hierarchy.ts';
import { choleskyDense, invertDense, logDeterminant } from '../../../../pipeline/numerics/dense.ts';
import { randomStream } from '../../../../pipeline/numerics/random.ts';

const MONTHS = 7;
const course = (sd: number, shock_sd: number) =>
  covarianceOf({ constant_sd: sd, level: { sd, months: 5 }, season_sd: sd / 2, shock_sd }, 1, MONTHS);
const K = { whole: course(0.5, 0.1), group: course(0.7, 0.2), area: course(1.1, 0) };

const random = randomStream(1, 'hierarchy');
/** Two groups, of three areas and of two, each with a month unknown, and one with all but two. */
const AREAS: Observed[] = [0, 0, 0, 1, 1].map((group, a) => ({
  group,
  y: Float64Array.from({ length: MONTHS }, (_, t) => (t === a || (a === 4 && t > 1) ? Number.NaN : random.normal())),
  variance: Float64Array.from({ length: MONTHS }, () => 0.1 + random.uniform()),
}));

/** The same by one dense Gaussian over all areas and months. */
function dense(hasWhole: boolean) {
  const at = AREAS.flatMap(({ y }, a) => [...y.keys()].map((t) => ({ a, t })));
  const course = (i: number, j: number) => {
    const [p, q] = [at[i]!, at[j]!];
    const k = p.t * MONTHS + q.t;
    const sameGroup = AREAS[p.a]!.group === AREAS[q.a]!.group;
    return (hasWhole ? K.whole[k]! : 0) + (sameGroup ? K.group[k]! : 0) + (p.a === q.a ? K.area[k]! : 0);
  };
  const known = [...at.keys()].filter((i) => !Number.isNaN(AREAS[at[i]!.a]!.y[at[i]!.t]!));
  const y = known.map((i) => AREAS[at[i]!.a]!.y[at[i]!.t]!);
  const noise = known.map((i) => AREAS[at[i]!.a]!.variance[at[i]!.t]!);
  const n = known.length;
  const matrix = Float64Array.from({ length: n * n }, (_, i) => {
    const [row, column] = [Math.floor(i / n), i % n];
    return course(known[row]!, known[column]!) + (row === column ? noise[row]! : 0);
  });
  const factor = choleskyDense(matrix, n)!;
  const inverse = invertDense(factor, n);
  const times = (x: readonly number[]) =>
    x.map((_, i) => x.reduce((sum, value, j) => sum + inverse[i * n + j]! * value, 0));
  const dot = (x: readonly number[], z: readonly number[]) => x.reduce((sum, value, i) => sum + value * z[i]!, 0);
  const weights = times(y);
  return {
    deviance: n * Math.log(2 * Math.PI) + logDeterminant(factor, n) + dot(y, weights),
    courseAt: (a: number, t: number) => {
      const i = a * MONTHS + t;
      const across = known.map((j) => course(i, j));
      return { mean: dot(across, weights), variance: course(i, i) - dot(across, times(across)) };
    },
  };
}

describe.each([true, false])('with a course of the whole: %s', (hasWhole) => {
  const expected = dense(hasWhole);
  const part = areaPart(AREAS, 2, K.area, MONTHS);
  const groups = groupPart(part, K.group, hasWhole ? K.whole : null);

  test('the likelihood is that of the dense Gaussian', () => {
    expect(groups.deviance).toBeCloseTo(expected.deviance, 9);
  });

  test('so are the courses of the areas, in months known and unknown', () => {
    const months = [0, 4, 6];
    for (const [a, own] of coursesOfAreas(part, groups.courses(), K.area, months).entries())
      for (const [i, t] of months.entries()) {
        const { mean, variance } = expected.courseAt(a, t);
        expect(own.mean[i]).toBeCloseTo(mean, 9);
        expect(own.variance[i]).toBeCloseTo(variance, 9);
      }
  });

  test('and what is left for the noise', () => {
    for (const [a, squares] of squaredNoise(part, groups.courses()).entries())
      for (const [t, square] of squares.entries()) {
        const { mean, variance } = expected.courseAt(a, t);
        const y = AREAS[a]!.y[t]!;
        if (Number.isNaN(y)) expect(square).toBeNaN();
        else expect(square).toBeCloseTo((y - mean) ** 2 + variance, 9);
      }
  });
});
