import { expect, test } from 'vitest';
import {
  choleskyDense,
  invertDense,
  logDeterminant,
  solveLower,
  solveUpper,
} from '../../../../pipeline/lib/numerics/dense.ts';
import { findMode } from '../../../../pipeline/lib/numerics/laplace.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { analysePattern, cliquePattern } from '../../../../pipeline/lib/numerics/sparse-cholesky.ts';
import { createLayout, preparePrior } from '../../../../pipeline/model/risk/latent.ts';
import { prepareLikelihood } from '../../../../pipeline/model/risk/likelihood.ts';
import { maternPrecision, maternScale } from '../../../../pipeline/model/risk/matern-lattice.ts';
import { linearPredictor } from '../../../../pipeline/model/risk/terms.ts';
import { lgaPlace, toyMesh } from './toy-country.ts';

/*
 * Compares the sparse calculation with a separately written one: dense prior covariances from their textbook
 * formulas, blocks in plain order, and the beta-binomial as products over integer counts.
 */
const random = randomStream(1, 'laplace');
const mesh = toyMesh(4, random, { place_km: 40, change_km: 80, margin_km: 40 });
const times = [2010.8, 2015.8, 2018.7];
const hyperparameters = {
  sigma_place: 0.8,
  range_km: 90,
  sigma_change: 0.4,
  sigma_state: 0.5,
  sigma_lga: 0.35,
  sigma_slope: 0.06,
  tau_years: 4,
  tau_state_years: 3,
  rho: [0.1, 0.2, 0.15],
};
const constants = {
  season_exponent: { mean: 0.5, sd: 0.25 },
  nation_drift: 0.3,
  range_change_km: 150,
  test_offset: { mean: 0.4, sd: 0.5 },
  nation_slope: 0.12,
  slope_years: 4,
};
const log_season = Float64Array.from({ length: 16 }, () => -random.uniform());
/** Rounds of which half the rows are by another test. */
const OTHER_TESTS = [1, 2];
const observations = Array.from({ length: 40 }, (_, k) => {
  const examined = 4 + (k % 9);
  const positive = Math.floor(random.uniform() ** 2 * (examined + 1));
  return {
    name: `c${k}`,
    round: k % 3,
    log_season,
    examined,
    positive,
    clustered: k % 10 !== 0,
    other_test: OTHER_TESTS.includes(k % 3) && k % 2 === 0,
    ...lgaPlace(mesh, (5 * k) % 16),
  };
});

const P = mesh.place_field.lattice.nx * mesh.place_field.lattice.ny;
const C = mesh.change_field.lattice.nx * mesh.change_field.lattice.ny;
const [R, S, F, A] = [3, 4, 1, 16];
const TESTS = F + 1 + R + P + C * R + S * R + A;
const N = TESTS + OTHER_TESTS.length;
const MU = F + 1;
const PLACE = MU + R;
const CHANGE = PLACE + P;
const STATE = CHANGE + C * R;
const LGA = STATE + S * R;

/** Inverse of a lattice field's precision. */
function fieldCovariance(matern: typeof mesh.place_field, range: number, sigma: number, n: number): Float64Array {
  const q = new Float64Array(n * n);
  maternPrecision(matern, maternScale(matern, range, sigma)).forEach((v, e) => {
    q[matern.stencil.i[e]! * n + matern.stencil.j[e]!] = v;
    q[matern.stencil.j[e]! * n + matern.stencil.i[e]!] = v;
  });
  return invertDense(choleskyDense(q, n)!, n);
}

function denseCovariance(): Float64Array {
  const v = new Float64Array(N * N);
  v[0] = 0.5 ** 2;
  v[N + 1] = 0.25 ** 2;
  const place = fieldCovariance(mesh.place_field, hyperparameters.range_km, hyperparameters.sigma_place, P);
  const change = fieldCovariance(mesh.change_field, constants.range_change_km, hyperparameters.sigma_change, C);
  for (let i = 0; i < P; i++) for (let j = 0; j < P; j++) v[(PLACE + i) * N + PLACE + j] = place[i * P + j]!;
  for (let r = 0; r < R; r++)
    for (let q = 0; q < R; q++) {
      v[(MU + r) * N + MU + q] =
        1.6 ** 2 +
        0.3 ** 2 * (times[Math.min(r, q)]! - times[0]!) +
        0.12 ** 2 * integral(times[0]!, times[r]!, times[q]!, 4);
      const over = Math.exp(-Math.abs(times[r]! - times[q]!) / hyperparameters.tau_years);
      for (let i = 0; i < C; i++)
        for (let j = 0; j < C; j++) v[(CHANGE + r * C + i) * N + CHANGE + q * C + j] = over * change[i * C + j]!;
      const middle = (times[0]! + times[R - 1]!) / 2;
      const own = Math.exp(-Math.abs(times[r]! - times[q]!) / 3) * hyperparameters.sigma_state ** 2;
      const drift = 0.06 ** 2 * integral(middle, times[r]!, times[q]!, 4);
      for (let s = 0; s < S; s++) v[(STATE + r * S + s) * N + STATE + q * S + s] = own + drift;
    }
  for (let a = 0; a < A; a++) v[(LGA + a) * N + LGA + a] = hyperparameters.sigma_lga ** 2;
  for (let k = TESTS; k < N; k++) v[k * N + k] = 0.5 ** 2;
  return v;
}

/**
 * ∫∫ exp(−|a − b|/T) with a from `from` to s and b from `from` to t: b in closed form, a by Simpson's rule up to t and
 * on.
 */
function integral(from: number, s: number, t: number, years: number): number {
  const [low, high] = [Math.min(from, t), Math.max(from, t)];
  const over = (a: number) => {
    const fall = (distance: number) => years * (1 - Math.exp(-distance / years));
    if (a < low) return fall(high - a) - fall(low - a);
    return a > high ? fall(a - low) - fall(a - high) : fall(a - low) + fall(high - a);
  };
  const simpson = (from: number, to: number) => {
    const n = 200;
    let sum = 0;
    for (let k = 0; k <= n; k++) sum += (k === 0 || k === n ? 1 : k % 2 ? 4 : 2) * over(from + ((to - from) * k) / n);
    return (sum * (to - from)) / n / 3;
  };
  const bend = (s - from) * (t - from) > 0 && Math.abs(t - from) < Math.abs(s - from) ? t : s;
  return (t < from ? -1 : 1) * (simpson(from, bend) + simpson(bend, s));
}

/** Log-likelihood of an integer count at prevalence p and its derivatives by p, from products. */
function countTerm(n: number, y: number, p: number, rho: number) {
  const m = rho > 0 ? (1 - rho) / rho : Number.POSITIVE_INFINITY;
  let [value, first, second] = [0, 0, 0];
  const factor = (slope: number, base: number) => {
    value += Math.log(base);
    first += slope / base;
    second -= (slope / base) ** 2;
  };
  for (let i = 0; i < y; i++) rho > 0 ? factor(m, p * m + i) : factor(1, p);
  for (let i = 0; i < n - y; i++) rho > 0 ? factor(-m, (1 - p) * m + i) : factor(-1, 1 - p);
  for (let i = 0; i < n && rho > 0; i++) value -= Math.log(m + i);
  return { value, first, second };
}

function denseLaplace() {
  const q = invertDense(choleskyDense(denseCovariance(), N)!, N);
  const mean = new Float64Array(N);
  mean[1] = 0.5;
  mean.fill(0.4, TESTS);
  let x = mean.slice();
  for (let step = 0; ; step++) {
    const posterior = q.slice();
    const gradient = new Float64Array(N);
    let value = 0;
    for (let i = 0; i < N; i++)
      for (let j = 0; j < N; j++) {
        gradient[i]! -= q[i * N + j]! * (x[j]! - mean[j]!);
        value -= 0.5 * (x[i]! - mean[i]!) * q[i * N + j]! * (x[j]! - mean[j]!);
      }
    for (const observation of observations) {
      const row = new Float64Array(N);
      let p = 0;
      observation.cells.forEach((c, k) => {
        const a = mesh.cells.lga[c]!;
        const own = new Float64Array(N);
        own[0] = mesh.cells.features[c]!;
        own[1] = log_season[a]!;
        own[MU + observation.round] = 1;
        own[STATE + observation.round * S + mesh.state_by_lga[a]!] = 1;
        own[LGA + a] = 1;
        if (observation.other_test) own[TESTS + OTHER_TESTS.indexOf(observation.round)] = 1;
        for (let m = 0; m < 4; m++) {
          own[PLACE + mesh.cell_nodes[4 * c + m]!]! += mesh.cell_weights[4 * c + m]!;
          own[CHANGE + observation.round * C + mesh.lga_nodes[4 * a + m]!]! += mesh.lga_weights[4 * a + m]!;
        }
        const eta = own.reduce((sum, b, i) => sum + b * x[i]!, 0);
        const pc = 1 / (1 + Math.exp(-eta));
        p += observation.weights[k]! * pc;
        own.forEach((b, i) => {
          row[i]! += observation.weights[k]! * pc * (1 - pc) * b;
        });
      });
      const {
        value: v,
        first,
        second,
      } = countTerm(
        observation.examined,
        observation.positive,
        p,
        observation.clustered ? hyperparameters.rho[observation.round]! : 0,
      );
      value += v;
      // by η = logit p: dp/dη = p(1−p); and ∂η/∂x = row / (p(1−p))
      const slope = p * (1 - p);
      const curvature = -(second * slope ** 2 + first * slope * (1 - 2 * p));
      for (let i = 0; i < N; i++) {
        gradient[i]! += first * row[i]!;
        for (let j = 0; j < N; j++) posterior[i * N + j]! += (curvature * row[i]! * row[j]!) / slope ** 2;
      }
    }
    const factor = choleskyDense(posterior, N)!;
    const move = solveUpper(factor, N, solveLower(factor, N, gradient.slice()));
    if (step > 30 || Math.max(...move.map(Math.abs)) < 1e-11) {
      const halfPrior = 0.5 * logDeterminant(choleskyDense(q, N)!, N);
      return { x, log_marginal: value + halfPrior - 0.5 * logDeterminant(factor, N) };
    }
    x = x.map((v, i) => v + move[i]!);
  }
}

const layout = createLayout(mesh, times, linearPredictor(mesh, times, constants, OTHER_TESTS), observations);
const { covariates, season, nation, place, change, state, lga, other_test } = layout.terms;
const { likelihood } = prepareLikelihood(mesh, layout, observations);
const model = {
  symbolic: layout.symbolic,
  ...preparePrior(layout).evaluate(hyperparameters),
  likelihood: (x: Float64Array, g: Float64Array, q: Float64Array, concave: boolean) =>
    likelihood(hyperparameters.rho, x, g, q, concave),
};

test('mode and log marginal likelihood equal those of a separately written dense calculation', () => {
  const sparse = findMode(model, new Float64Array(layout.size), { tolerance: 1e-22 })!;
  const dense = denseLaplace();
  expect(Math.abs(sparse.log_marginal - dense.log_marginal)).toBeLessThan(1e-8);
  const pairs: [number, number][] = [
    [covariates.positions[0]!, 0],
    [season.positions[0]!, 1],
    ...Array.from({ length: R }, (_, r): [number, number] => [nation.positions[r]!, MU + r]),
    ...Array.from({ length: P }, (_, k): [number, number] => [place.positions[k]!, PLACE + k]),
    ...Array.from({ length: C * R }, (_, k): [number, number] => [
      change.positions[(k % C) * R + Math.floor(k / C)]!,
      CHANGE + k,
    ]),
    ...Array.from({ length: S * R }, (_, k): [number, number] => [
      state.positions[(k % S) * R + Math.floor(k / S)]!,
      STATE + k,
    ]),
    ...OTHER_TESTS.map((_, k): [number, number] => [other_test.positions[k]!, TESTS + k]),
    ...Array.from({ length: A }, (_, a): [number, number] => [lga.positions[a]!, LGA + a]),
  ];
  expect(pairs.length).toBe(layout.size);
  for (const [mine, theirs] of pairs) expect(Math.abs(sparse.x[mine]! - dense.x[theirs]!)).toBeLessThan(1e-8);
});

test('starting with the factor of a similar model does not change the result', () => {
  const cold = findMode(model, new Float64Array(layout.size))!;
  const warm = findMode(model, new Float64Array(layout.size), { similarFactor: cold.factor })!;
  expect(warm.log_marginal).toBeCloseTo(cold.log_marginal, 8);
});

test('the gradient of the likelihood equals its finite differences', () => {
  const x = Float64Array.from({ length: layout.size }, () => 0.3 * random.normal());
  const entries = layout.symbolic.pattern.row.length;
  const at = (v: Float64Array) =>
    likelihood(hyperparameters.rho, v, new Float64Array(layout.size), new Float64Array(entries), false);
  const gradient = new Float64Array(layout.size);
  likelihood(hyperparameters.rho, x, gradient, new Float64Array(entries), false);
  for (const i of [
    covariates.positions[0]!,
    season.positions[0]!,
    nation.positions[1]!,
    place.positions[12]!,
    change.positions[5 * R + 2]!,
    state.positions[3 * R]!,
    other_test.positions[1]!,
  ]) {
    const step = (d: number) => x.map((v, j) => (i === j ? v + d : v));
    expect((at(step(1e-5)) - at(step(-1e-5))) / 2e-5).toBeCloseTo(gradient[i]!, 5);
  }
});

test('full steps that oscillate about the mode, because the likelihood omits a part of its curvature, still find it', () => {
  // 97% of the distance to the mode remains after a full step, on the other side; the second unknown has no such part
  const curvatures = [2.94, 1];
  const centre = [100, 3];
  const mode = findMode(
    {
      symbolic: analysePattern(cliquePattern(2, [])),
      mean: new Float64Array(2),
      precision: Float64Array.of(1, 1),
      log_determinant: 0,
      likelihood: (x, gradient, precision) =>
        x.reduce((value, v, i) => {
          gradient[i]! -= curvatures[i]! * (v - centre[i]!);
          precision[i]! += 1;
          return value - 0.5 * curvatures[i]! * (v - centre[i]!) ** 2;
        }, 0),
    },
    new Float64Array(2),
  );
  expect(mode!.steps).toBeLessThan(10);
  expect(mode!.x[0]).toBeCloseTo((2.94 * 100) / 3.94, 6);
  expect(mode!.x[1]).toBeCloseTo(1.5, 6);
});
