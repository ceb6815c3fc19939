import { describe, expect, onTestFinished, test } from 'vitest';
import { choleskyDense, invertDense, logDeterminant } from '../../../../pipeline/lib/numerics/dense.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { areaPosteriors, posteriorResiduals } from '../../../../pipeline/model/forecast/area-posteriors.ts';
import { drawCounts } from '../../../../pipeline/model/forecast/case-draws.ts';
import { processCovariance } from '../../../../pipeline/model/forecast/covariance.ts';
import {
  buildAreaLayer,
  buildCountryLayer,
  buildGroupLayer,
  type ObservedArea,
} from '../../../../pipeline/model/forecast/hierarchy.ts';
import { STEP_CHANCES, STEP_GRID } from '../../../../pipeline/model/forecast/level-steps.ts';

const MONTHS = 7;
const kernel = (sd: number, shock_sd: number) =>
  processCovariance({ constant_sd: sd, level: { sd, months: 5 }, season_sd: sd / 2, shock_sd }, 1, MONTHS);
const K = { country: kernel(0.5, 0.1), group: kernel(0.7, 0.2), area: kernel(1.1, 0) };

const random = randomStream(1, 'hierarchy');
/** Two groups, of three and of two areas, each with an unknown month, and one with only two known months. */
const AREAS: ObservedArea[] = [0, 0, 0, 1, 1].map((group, a) => ({
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
    covarianceOf: (a: number, t: number, b: number, u: number) => {
      const [i, j] = [a * MONTHS + t, b * MONTHS + u];
      const across = (from: number) => known.map((k) => kernel(from, k));
      return kernel(i, j) - dot(across(i), times(across(j)));
    },
  };
}

describe.each([true, false])('with a process of the country: %s', (hasCountry) => {
  const expected = dense(hasCountry);
  const part = buildAreaLayer(AREAS, 2, K.area, MONTHS);
  const groups = buildCountryLayer(buildGroupLayer(part, K.group), hasCountry ? K.country : null);

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
    for (const [a, found] of posteriorResiduals(part, groups.posteriors()).entries())
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

test.each([true, false])(
  'draws have the means and covariances of the dense Gaussian, with a country: %s',
  (hasCountry) => {
    const expected = dense(hasCountry);
    const part = buildAreaLayer(AREAS, 2, K.area, MONTHS);
    const [months, centre, count] = [[0, 4, 6], 13, 5_000];
    const groups = buildCountryLayer(buildGroupLayer(part, K.group), hasCountry ? K.country : null);
    const scales = AREAS.map(() => 0);
    const noStep = STEP_GRID.map((step) => Number(step === 0));
    const { begin } = STEP_CHANCES;
    onTestFinished(() => void Object.assign(STEP_CHANCES, { begin }));
    STEP_CHANCES.begin = 0;
    const steps = AREAS.map(() => ({ lastMonth: noStep, start: STEP_GRID.indexOf(0) }));
    const ahead = {
      areaLayer: part,
      country: groups,
      marginals: [],
      covariance: K.area,
      months,
      horizons: [1, 5, 7],
      centre,
      noiseScales: scales,
      levelSteps: steps,
    };
    // Of counts so large the logarithm is that of the rate.
    const draws = drawCounts(ahead, count, randomStream(2, 'draws')).map((own) =>
      own.map((counts) => counts.map((value) => Math.log(value) - centre)),
    );
    const spots = AREAS.flatMap((_, a) => months.map((t, h) => ({ a, t, own: draws[a]![h]! })));
    const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / count;
    for (const p of spots)
      for (const q of spots) {
        const [atP, atQ] = [expected.posteriorAt(p.a, p.t), expected.posteriorAt(q.a, q.t)];
        const product = mean(p.own.map((value, i) => (value - atP.mean) * (q.own[i]! - atQ.mean)));
        const error = Math.sqrt((2 * atP.variance * atQ.variance) / count);
        expect(Math.abs(mean(p.own) - atP.mean)).toBeLessThan(4.5 * Math.sqrt(atP.variance / count));
        expect(Math.abs(product - expected.covarianceOf(p.a, p.t, q.a, q.t))).toBeLessThan(4.5 * error);
      }
  },
);
