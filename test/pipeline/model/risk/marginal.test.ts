import { expect, test } from 'vitest';
import { findMode } from '../../../../pipeline/lib/numerics/laplace.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { fromTheta, toTheta } from '../../../../pipeline/model/risk/hyperparameters.ts';
import { preparePrior } from '../../../../pipeline/model/risk/latent.ts';
import { prepareLikelihood } from '../../../../pipeline/model/risk/likelihood.ts';
import { prepareMarginal } from '../../../../pipeline/model/risk/marginal.ts';
import { lgaPlace, simulateSurvey, simulateTruth, toyMesh } from './toy-country.ts';

/*
 * Compares the gradient of the Laplace approximation with differences: areas of many cells, one round of three without
 * clusters, and few children, so that every term of the gradient matters.
 */
const TIMES = [2010.8, 2015.8, 2018.8];
const h = {
  sigma_place: 0.8,
  range_km: 120,
  sigma_change: 0.4,
  sigma_state: 0.3,
  sigma_lga: 0.5,
  sigma_slope: 0.06,
  tau_years: 4,
  tau_state_years: 3,
  rho: [0.1, 0.15],
};
const constants = {
  season_exponent: { mean: 0.5, sd: 0.25 },
  nation_drift: 0.3,
  range_change_km: 150,
  test_offset: { mean: 0.4, sd: 0.5 },
  nation_slope: 0.12,
  slope_years: 5,
};
const random = randomStream(3, 'marginal');
const mesh = toyMesh(4, random);
const truth = { beta: -0.6, nation: [0.3, -0.5, -1], season_exponent: 0.5, range_change_km: 150, h };
const survey = simulateSurvey(mesh, TIMES, 40, 12, simulateTruth(mesh, TIMES, truth, random), [0.1, 0.15, 0], random)
  .map((observation) =>
    observation.round === 2 ? { ...observation, clustered: false, ...pooled(observation.cells[0]! >> 2) } : observation,
  )
  .map((observation, k) => ({ ...observation, other_test: observation.round === 1 && k % 2 === 0 }));

/** Two neighbouring LGAs as one place. */
function pooled(a: number) {
  const both = [a, a ^ 1].map((l) => lgaPlace(mesh, l));
  return {
    cells: Int32Array.from(both.flatMap(({ cells }) => [...cells])),
    weights: Float64Array.from(both.flatMap(({ weights }) => [...weights].map((w) => w / 2))),
  };
}

test('the gradient equals finite differences of the approximation', () => {
  const marginal = prepareMarginal(mesh, TIMES, survey, constants);
  const { layout } = marginal;
  const { evaluate: priorAt } = preparePrior(layout);
  const { likelihood } = prepareLikelihood(mesh, layout, survey);
  const modeAt = (theta: number[]) => {
    const model = {
      symbolic: layout.symbolic,
      ...priorAt(fromTheta(theta)),
      likelihood: (...a: [Float64Array, Float64Array, Float64Array, boolean]) =>
        likelihood(marginal.rhoByRound(theta), ...a),
    };
    return findMode(model, marginal.priorMean, { tolerance: 1e-24 })!;
  };
  const theta = toTheta(h);
  const slope = marginal.slopeAt(theta, modeAt(theta));
  expect(slope).toHaveLength(10);
  theta.forEach((_, j) => {
    const at = (step: number) => {
      const moved = theta.map((v, k) => (k === j ? v + step : v));
      return marginal.logPosteriorAt(moved, modeAt(moved));
    };
    // fourth-order difference
    const difference = (8 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3;
    expect(Math.abs(slope[j]! - difference)).toBeLessThan(1e-6);
  });
});
