import { describe, expect, test } from 'vitest';
import { choleskyDense, invertDense, logDeterminant } from '../../../../pipeline/lib/numerics/dense.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { areaPosteriors, residuals } from '../../../../pipeline/model/forecast/area-posteriors.ts';
import { covarianceOf } from '../../../../pipeline/model/forecast/covariance.ts';
import { areaPart, groupPart, type Observed } from '../../../../pipeline/model/forecast/hierarchy.ts';

const MONTHS = 7;
const kernel = (sd: number, shock_sd: number) =>
  covarianceOf({ constant_sd: sd, level: { sd, months: 5 }, season_sd: sd / 2, shock_sd }, 1, MONTHS);
const K = { country: kernel(0.5, 0.1), group: kernel(0.7, 0.2), area: kernel(1.1, 0) };

const random = randomStream(1, 'hierarchy');
/** Two groups, of three and of two areas, each with an unknown month, and one with only two known months. */
const AREAS: Observed[] = [0, 0, 0, 1, 1].map((group, a) => ({
  group,
  y: Float64Array.from({ length: MONTHS }, (_, t) => (t === a || (a === 4 && t > 1) ? Number.NaN : random.normal())),
  variance: Float64Array.from({ length: MONTHS }, () => 0.1 + random.uniform()),
}));

/** The same results from one dense Gaussian over all areas and months. */
function dense(hasCountry: boolean) {
  const at = AREAS.flatMap(({ y }, a) => [...y.keys()].map((t) => ({ a, t })));
  const kernel = (i: number, j: number) => {
    const [p, q] = [at[i]!, at[j]!];
    const k = p.t * MONTHS + q.t;
    const sameGroup = AREAS[p.a]!.group === AREAS[q.a]!.group;
    return (hasCountry ? K.country[k]! : 0) + (sameGroup ? K.group[k]! : 0) + (p.a === q.a ? K.area[k]! : 0);
  };
  const known = [...at.keys()].filter((i) => !Number.isNaN(AREAS[at[i]!.a]!.y[at[i]!.t]!));
  const y = known.map((i) => AREAS[at[i]!.a]!.y[at[i]!.t]!);
  const noise = known.map((i) => AREAS[at[i]!.a]!.variance[at[i]!.t]!);
  const n = known.length;
  const matrix = Float64Array.from({ length: n * n }, (_, i) => {
    const [row, column] = [Math.floor(i / n), i % n];
    return kernel(known[row]!, known[column]!) + (row === column ? noise[row]! : 0);
  });
  const factor = choleskyDense(matrix, n)!;
  const inverse = invertDense(factor, n);
  const times = (x: readonly number[]) =>
    x.map((_, i) => x.reduce((sum, value, j) => sum + inverse[i * n + j]! * value, 0));
  const dot = (x: readonly number[], z: readonly number[]) => x.reduce((sum, value, i) => sum + value * z[i]!, 0);
  const weights = times(y);
  return {
    deviance: n * Math.log(2 * Math.PI) + logDeterminant(factor, n) + dot(y, weights),
    posteriorAt: (a: number, t: number) => {
      const i = a * MONTHS + t;
      const across = known.map((j) => kernel(i, j));
      return { mean: dot(across, weights), variance: kernel(i, i) - dot(across, times(across)) };
    },
  };
}

describe.each([true, false])('with a process of the country: %s', (hasCountry) => {
  const expected = dense(hasCountry);
  const part = areaPart(AREAS, 2, K.area, MONTHS);
  const groups = groupPart(part, K.group, hasCountry ? K.country : null);

  test('the likelihood is that of the dense Gaussian', () => {
    expect(groups.deviance).toBeCloseTo(expected.deviance, 9);
  });

  test('the posteriors of the areas are those of the dense Gaussian, in known and unknown months', () => {
    const months = [0, 4, 6];
    for (const [a, own] of areaPosteriors(part, groups.posteriors(), K.area, months).entries())
      for (const [i, t] of months.entries()) {
        const { mean, variance } = expected.posteriorAt(a, t);
        expect(own.mean[i]).toBeCloseTo(mean, 9);
        expect(own.variance[i]).toBeCloseTo(variance, 9);
      }
  });

  test('the residuals are those of the dense Gaussian', () => {
    for (const [a, found] of residuals(part, groups.posteriors()).entries())
      for (const [t, y] of AREAS[a]!.y.entries()) {
        const { mean, variance } = expected.posteriorAt(a, t);
        if (Number.isNaN(y)) expect(found.mean[t]).toBeNaN();
        else {
          expect(found.mean[t]).toBeCloseTo(y - mean, 9);
          expect(found.variance[t]).toBeCloseTo(variance, 9);
        }
      }
  });
});
