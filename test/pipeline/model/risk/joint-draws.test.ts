import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { meanPrevalence, surveyPredictor } from '../../../../pipeline/model/risk/cell-predictors.ts';
import { type Draw, drawLatent, type StreamForDraw } from '../../../../pipeline/model/risk/draws.ts';
import { fitAtPoints, fitRisk, type Posterior, type RiskFit } from '../../../../pipeline/model/risk/fit.ts';
import { estimateInThreads } from '../../../../pipeline/model/risk/in-threads.ts';
import { prepareMarginal } from '../../../../pipeline/model/risk/marginal.ts';
import { defaultTheta } from '../../../../pipeline/model/risk/optimum.ts';
import { drawPaths, type PredictedMonth } from '../../../../pipeline/model/risk/paths.ts';
import { predictRisk } from '../../../../pipeline/model/risk/prediction.ts';
import { antitheticStreams } from '../../../../pipeline/model/risk/streams.ts';
import { lgaPlace, plainConstants, simulateSurvey, simulateTruth, toyMesh } from './toy-country.ts';

/*
 * Compares predictions with the model's formula written out: every draw's η cell by cell, LGAs and states as weighted
 * means, ranges by sorting. Departures from the conditional means between rounds are switched off first, then measured.
 */
const TIMES = [2015, 2018];
const hyperparameters = {
  sigma_place: 0.7,
  range_km: 150,
  sigma_change: 0.5,
  sigma_state: 0.5,
  sigma_lga: 0.3,
  sigma_slope: 0.01,
  tau_years: 4,
  tau_state_years: 4,
  rho: [0.1, 0.1],
};
const truth = { beta: -0.4, nation: [-0.2, -1.2], season_exponent: 0.5, range_change_km: 150, h: hyperparameters };
const random = randomStream(1, 'joint draws');
const mesh = toyMesh(4, random);
const survey = simulateSurvey(
  mesh,
  TIMES,
  60,
  20,
  simulateTruth(mesh, TIMES, truth, random),
  hyperparameters.rho,
  random,
);
const constants = plainConstants(0.25, 0.2, 150);
const streams = (seed: number) => (d: number) => randomStream(seed, `draw ${d}`);
const fitted = fitRisk(mesh, TIMES, survey, constants);
const LGAS = 16;
const season = Float64Array.from({ length: LGAS }, (_, a) => -0.1 * a);

/** The fit with other scales of departure, equal at all its points. */
const departing = (sigma_change: number, sigma_state: number, nation_drift: number): RiskFit => ({
  ...fitted,
  layout: prepareMarginal(mesh, TIMES, survey, { ...constants, nation_drift }).layout,
  points: fitted.points.map((point) => ({
    ...point,
    hyperparameters: {
      ...point.hyperparameters,
      sigma_change,
      sigma_state,
      sigma_slope: 1e-16,
      tau_years: 4,
      tau_state_years: 4,
    },
  })),
});
const still = departing(1e-12, 1e-12, 1e-5);
const DRAWS = 41;

/** The predicted months, all of one name; the last is compared with the second and with the fourth. */
const YEARS = [2012, 2015, 2016.5, 2018, 2023];
const months: PredictedMonth[] = YEARS.map((time) => ({
  time,
  month: 0,
  log_season: season,
  comparison: time === 2023 ? { year: 1, survey: 3 } : { year: null, survey: null },
}));

const { layout } = still;
const { covariates, season: exponent, nation, place, change, state, lga } = layout.terms;
// midway between two rounds 3 years apart, from the normal equations of a process with correlation exp(−t/4)
const [half, whole] = [Math.exp(-1.5 / 4), Math.exp(-3 / 4)];
const share = half / (1 + whole);
// weights of both rounds, for the national level and for departures from it
const weights = [
  { nation: [1, 0], own: [Math.exp(-3 / 4), 0] },
  { nation: [1, 0], own: [1, 0] },
  { nation: [0.5, 0.5], own: [share, share] },
  { nation: [0, 1], own: [0, 1] },
  { nation: [0, 1], own: [0, Math.exp(-5 / 4)] },
];
const prevalence = (x: Float64Array, c: number, m: number) => {
  const a = mesh.cells.lga[c]!;
  let eta =
    x[covariates.positions[0]!]! * mesh.cells.features[c]! +
    x[exponent.positions[0]!]! * season[a]! +
    x[lga.positions[a]!]!;
  for (let k = 0; k < 4; k++) eta += mesh.cell_weights[4 * c + k]! * x[place.positions[mesh.cell_nodes[4 * c + k]!]!]!;
  for (const r of [0, 1]) {
    let own = x[state.positions[mesh.state_by_lga[a]! * 2 + r]!]!;
    for (let k = 0; k < 4; k++)
      own += mesh.lga_weights[4 * a + k]! * x[change.positions[mesh.lga_nodes[4 * a + k]! * 2 + r]!]!;
    eta += weights[m]!.nation[r]! * x[nation.positions[r]!]! + weights[m]!.own[r]! * own;
  }
  return 1 / (1 + Math.exp(-eta));
};
const draws = [...drawLatent(still, DRAWS, streams(7))];
const cellsWhere = (holds: (lga: number) => boolean) =>
  Array.from(mesh.cells.lga.keys()).filter((c) => holds(mesh.cells.lga[c]!));

test('scores are population-weighted means of joint draws over cells, and ranges their 5% and 95% quantiles', () => {
  const { lgas, states } = predictRisk(drawPaths(still, { months, season: null }, DRAWS, streams(7)));
  const check = (cells: number[], m: number, { mean, low, high }: typeof lgas, at: number) => {
    const people = cells.reduce((sum, c) => sum + mesh.cells.population[c]!, 0);
    const values = draws
      .map(({ x }) => cells.reduce((sum, c) => sum + (mesh.cells.population[c]! / people) * prevalence(x, c, m), 0))
      .sort((a, b) => a - b);
    // of 41 draws, 5% and 95% are the third from either end; the polynomial over shifts is accurate to 2e-5
    expect(Math.abs(mean[at]! - values.reduce((a, b) => a + b) / DRAWS)).toBeLessThan(2e-5);
    expect(Math.abs(low[at]! - values[2]!)).toBeLessThan(2e-5);
    expect(Math.abs(high[at]! - values[38]!)).toBeLessThan(2e-5);
  };
  // the same by the function used in cross-validation and in the tests of calibration, at the rounds themselves
  for (const [m, round] of [
    [1, 0],
    [3, 1],
  ] as const)
    for (let a = 0; a < LGAS; a++) {
      const own = lgaPlace(mesh, a);
      const byHand = own.cells.reduce((sum, c, i) => sum + own.weights[i]! * prevalence(draws[0]!.x, c, m), 0);
      const surveyed = surveyPredictor(mesh, layout, { ...own, round, log_season: season });
      expect(meanPrevalence(surveyed, draws[0]!.x)).toBeCloseTo(byHand, 12);
    }
  months.forEach((_, m) => {
    for (let a = 0; a < LGAS; a++)
      check(
        cellsWhere((l) => l === a),
        m,
        lgas,
        m * LGAS + a,
      );
    for (let s = 0; s < 4; s++)
      check(
        cellsWhere((l) => mesh.state_by_lga[l] === s),
        m,
        states,
        m * 4 + s,
      );
  });
});

test('probabilities, ranks and changes are counts over joint draws of the formula', () => {
  const { lgas, states } = predictRisk(drawPaths(still, { months, season: null }, DRAWS, streams(7)));
  const meanOf = (cells: number[], x: Float64Array, m: number) => {
    const people = cells.reduce((sum, c) => sum + mesh.cells.population[c]!, 0);
    return cells.reduce((sum, c) => sum + (mesh.cells.population[c]! / people) * prevalence(x, c, m), 0);
  };
  const share = (holds: (draw: number) => boolean) => draws.filter((_, d) => holds(d)).length / DRAWS;
  const everyLga = Array.from({ length: LGAS }, (_, a) => a);
  for (const [estimates, areas, stateOf] of [
    [lgas, everyLga.map((a) => cellsWhere((l) => l === a)), mesh.state_by_lga],
    [states, [0, 1, 2, 3].map((s) => cellsWhere((l) => mesh.state_by_lga[l] === s)), null],
  ] as const) {
    const values = months.map((_, m) => areas.map((cells) => draws.map(({ x }) => meanOf(cells, x, m))));
    const highest = (a: number, m: number, d: number, among: number[]) => {
      const higher = among.filter((b) => values[m]![b]![d]! > values[m]![a]![d]!).length;
      return higher < Math.ceil(among.length / 10);
    };
    let uncertain = 0;
    for (const m of months.keys())
      for (const a of areas.keys()) {
        const at = m * areas.length + a;
        const own = values[m]![a]!;
        [0.01, 0.1, 0.35, 0.5].forEach((cutoff, c) => {
          const expected = share((d) => own[d]! >= cutoff);
          if (expected > 0.1 && expected < 0.9) uncertain++;
          expect(estimates.at_least[c]![at]).toBeCloseTo(expected, 12);
        });
        expect(estimates.highest_nation[at]).toBeCloseTo(
          share((d) => highest(a, m, d, [...areas.keys()])),
          12,
        );
        if (stateOf)
          expect(estimates.highest_state![at]).toBeCloseTo(
            share((d) =>
              highest(
                a,
                m,
                d,
                everyLga.filter((b) => stateOf[b] === stateOf[a]),
              ),
            ),
            12,
          );
        for (const against of ['year', 'survey'] as const) {
          const changes = estimates.changes[against];
          const then = months[m]!.comparison![against];
          if (then === null) {
            expect([changes.mean[at], changes.low[at], changes.high[at], changes.rise[at]]).toEqual(
              Array(4).fill(Number.NaN),
            );
            continue;
          }
          const change = own.map((value, d) => value - values[then]![a]![d]!);
          const sorted = [...change].sort((x, y) => x - y);
          expect(Math.abs(changes.mean[at]! - change.reduce((x, y) => x + y) / DRAWS)).toBeLessThan(4e-5);
          expect(Math.abs(changes.low[at]! - sorted[2]!)).toBeLessThan(4e-5);
          expect(Math.abs(changes.high[at]! - sorted[38]!)).toBeLessThan(4e-5);
          expect(changes.rise[at]).toBeCloseTo(
            share((d) => change[d]! > 0),
            12,
          );
        }
      }
    expect(uncertain).toBeGreaterThan(areas.length / 2);
  }
});

test('an error of the season leaves the months of fieldwork unchanged and widens the others', () => {
  const log_season = Array.from({ length: 12 }, (_, m) => season.map(() => Math.log(m === 9 ? 1 : 0.4)));
  const fieldwork = Array.from({ length: 12 }, (_, m) => Number(m === 9));
  const asked = [3, 9].map((month) => ({ time: 2016 + (month + 0.5) / 12, month, log_season: log_season[month]! }));
  const known = predictRisk(drawPaths(fitted, { months: asked, season: null }, 400, streams(5))).lgas;
  const unsure = predictRisk(
    drawPaths(fitted, { months: asked, season: { sd: 0.3, log_season, fieldwork } }, 400, streams(5)),
  ).lgas;
  const widthOf = ({ low, high }: typeof known, m: number) =>
    Array.from({ length: LGAS }, (_, a) => high[m * LGAS + a]! - low[m * LGAS + a]!).reduce((x, y) => x + y);
  for (let a = 0; a < LGAS; a++) expect(Math.abs(unsure.mean[LGAS + a]! - known.mean[LGAS + a]!)).toBeLessThan(2e-5);
  expect(widthOf(unsure, 1)).toBeCloseTo(widthOf(known, 1), 4);
  expect(widthOf(unsure, 0)).toBeGreaterThan(1.05 * widthOf(known, 0));
});

test('away from the rounds a draw departs by state, region and nation, each with its own scale', () => {
  const logit = (p: number) => Math.log(p / (1 - p));
  const squareOf = (fit: RiskFit, time: number) => {
    const { lgas } = predictRisk(
      drawPaths(fit, { months: [{ time, month: 0, log_season: season }], season: null }, 1500, streams(3)),
    );
    const widths = Array.from({ length: LGAS }, (_, a) => (logit(lgas.high[a]!) - logit(lgas.low[a]!)) / 3.29);
    return widths.reduce((sum, w) => sum + w * w, 0) / LGAS;
  };
  // after two years an Ornstein-Uhlenbeck process of 4 years has renewed 1 − exp(−1) of its variance, a Brownian motion
  // 2
  const none = squareOf(still, 2020);
  const renewed = 1 - Math.exp(-1);
  for (const [fit, variance] of [
    [departing(1e-12, 1.2, 1e-5), renewed * 1.2 ** 2],
    [departing(1.2, 1e-12, 1e-5), renewed * 1.2 ** 2],
    [departing(1e-12, 1e-12, 0.7), 2 * 0.7 ** 2],
  ] as const) {
    // widths from 1,500 draws are accurate to some 4%, the lattice's variance between nodes and near its edge to some
    // 10%
    expect(squareOf(fit, 2020) / (none + variance)).toBeGreaterThan(0.8);
    expect(squareOf(fit, 2020) / (none + variance)).toBeLessThan(1.25);
    // at a round there are no departures, except for the term that keeps the covariance from being singular
    expect(squareOf(fit, 2018)).toBeCloseTo(squareOf(still, 2018), 4);
  }
});

test('the points of a fit reproduce its posterior bit for bit without the search', () => {
  const kept = JSON.parse(JSON.stringify(fitted.points.map(({ theta, weight }) => ({ theta, weight }))));
  const again = fitAtPoints(mesh, TIMES, survey, constants, kept);
  const drawn = (fit: Posterior) => predictRisk(drawPaths(fit, { months, season: null }, DRAWS, streams(7)));
  expect(drawn(again)).toEqual(drawn(fitted));
});

test('several threads give bit for bit the results of one thread', async () => {
  const log_season = months.map(({ log_season }) => log_season);
  const pathInputs = {
    months,
    season: { sd: 0.1, log_season: Array(12).fill(log_season[0]), fieldwork: Array(12).fill(1 / 12) },
  };
  const data = { mesh, times: TIMES, observations: survey, constants, pathInputs, seed: 3 };
  const progress: number[] = [];
  const { fit, ...estimates } = await estimateInThreads(data, 130, defaultTheta(2), (share) => progress.push(share));
  expect(fit.optimum).toEqual(fitted.optimum);
  expect(estimates).toEqual(predictRisk(drawPaths(fitted, pathInputs, 130, antitheticStreams(3))));
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
});

test('the scores do not depend on where the search starts', async () => {
  const scoresFrom = async (start: number[]) => {
    const pathInputs = { months, season: null };
    const data = { mesh, times: TIMES, observations: survey, constants, pathInputs, seed: 3 };
    return (await estimateInThreads(data, 100, start, () => {})).lgas;
  };
  const usual = defaultTheta(2);
  const from = [usual, fitted.optimum.theta, usual.map((v, i) => v + 0.5 * (-1) ** i)];
  const [scores, ...others] = await Promise.all(from.map(scoresFrom));
  for (const other of others)
    for (const key of ['mean', 'low', 'high'] as const)
      other[key].forEach((v, i) => {
        // a tenth of the last published decimal
        expect(Math.abs(v - scores![key][i]!)).toBeLessThan(1e-5);
      });
});

test('hyperparameters, including the overdispersion, differ between draws as in the fit', () => {
  const drawn = [...drawLatent(fitted, 400, streams(1))];
  // nine axes: a design of twelve points and the mode
  expect(fitted.points).toHaveLength(13);
  expect(new Set(drawn.map(({ point }) => point)).size).toBe(13);
  expect(new Set(drawn.map(({ point }) => point.rho[0])).size).toBeGreaterThan(3);
  // the points' covariance is the inverse of the curvature
  const logs = fitted.points.map((point) => Math.log(point.hyperparameters.sigma_place));
  const mean = fitted.points.reduce((sum, point, k) => sum + point.weight * logs[k]!, 0);
  const variance = fitted.points.reduce((sum, point, k) => sum + point.weight * (logs[k]! - mean) ** 2, 0);
  expect(variance * inverseFirst(fitted.optimum.curvature)).toBeCloseTo(1, 9);
});

test('the curvature of the hyperparameters is that of ln p(y, θ) at its mode, where the slope is zero', () => {
  const marginal = prepareMarginal(mesh, TIMES, survey, constants);
  const height = (at: number[]) => marginal.logPosteriorAt(at, marginal.modeAt(at, marginal.priorMean, null)!);
  const { theta, curvature } = fitted.optimum;
  const top = height(theta);
  expect(top).toBeCloseTo(fitted.log_posterior, 3);
  theta.forEach((_, i) => {
    const at = (step: number) => height(theta.map((v, j) => (i === j ? v + step : v)));
    const second = -(at(0.1) + at(-0.1) - 2 * top) / 0.01;
    // a diagonal below the floor is raised to it
    expect(Math.abs(curvature[i]![i]! / Math.max(second, 0.25) - 1)).toBeLessThan(0.03);
    // half the squared slope over the curvature is the remaining gain
    expect(((at(0.01) - at(-0.01)) / 0.02) ** 2 / curvature[i]![i]! / 2).toBeLessThan(0.05);
  });
});

/** 1 / (A⁻¹)₁₁, by elimination of all but the first. */
function inverseFirst(a: number[][]): number {
  const m = a.map((row) => [...row]);
  for (let k = m.length - 1; k > 0; k--)
    for (let i = 0; i < k; i++) {
      const f = m[i]![k]! / m[k]![k]!;
      for (let j = 0; j < m.length; j++) m[i]![j]! -= f * m[k]![j]!;
    }
  return m[0]![0]!;
}

test('published draws come in pairs that mirror each other about the mode, and in which errors cancel', () => {
  const latent = [
    ...drawLatent(
      fitAtPoints(mesh, TIMES, survey, constants, [{ theta: fitted.optimum.theta, weight: 1 }]),
      4,
      antitheticStreams(3),
    ),
  ];
  const [first, second, third] = latent as [Draw, Draw, Draw];
  first.point.mode.x.forEach((mode, i) => {
    expect((first.x[i]! + second.x[i]!) / 2).toBeCloseTo(mode, 10);
  });
  expect(first.x).not.toEqual(third.x);
  // a mean over pairs differs between seeds by much less than one over as many independent draws
  const noiseOf = (streams: (seed: number) => StreamForDraw) => {
    const means = [1, 2, 3, 4, 5, 6].map(
      (seed) => predictRisk(drawPaths(fitted, { months, season: null }, 100, streams(seed))).lgas.mean,
    );
    const everywhere = means[0]!.map((_, k) => {
      const own = means.map((values) => values[k]!);
      const mean = own.reduce((a, b) => a + b) / own.length;
      return own.reduce((sum, v) => sum + (v - mean) ** 2, 0);
    });
    return everywhere.reduce((a, b) => a + b);
  };
  expect(noiseOf(antitheticStreams)).toBeLessThan(0.3 * noiseOf(streams));
});
