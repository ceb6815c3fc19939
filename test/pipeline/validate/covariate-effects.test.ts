import { expect, test } from 'vitest';
import { prepareRisk, withCovariates } from '../../../pipeline/model/risk/inputs.ts';
import { covariateEffect, describeEffect } from '../../../pipeline/validate/covariate-effects.ts';
import { crossValidate } from '../../../pipeline/validate/cross-validation.ts';
import type { FoldResult } from '../../../pipeline/validate/fold-worker.ts';
import { CONSTANTS, cells, inputs, lgas } from '../model/risk/toy-inputs.ts';

const row = (fold: number, log_score: number, crps = 0.1) => ({ model: 'spatial', fold, log_score, crps });
const rows = (scores: number[][]) =>
  scores.flatMap((inFold, k) => inFold.map((score) => row(k + 1, score))) as unknown as FoldResult;

test('an effect is the mean of the folds’ differences, with its standard error', () => {
  const effect = covariateEffect('x', rows([[-1, -2], [-3]]), rows([[-2, -2], [-3.25]]));
  // 0.5 and 0.25: mean 0.375, standard error 0.125
  expect(effect).toMatchObject({ covariate: 'x', folds: 2, log_score: { mean: 0.375, standard_error: 0.125 } });
  expect(describeEffect(effect)).toBe(
    'x: held-out log score +0.3750 ± 0.1250, CRPS +0.00000 with it: no clear difference',
  );
  const sure = covariateEffect('x', rows([[-2], [-2], [-2.001]]), rows([[-1], [-1], [-1]]));
  expect(describeEffect(sure)).toContain('−1.0003 ± 0.0003, CRPS +0.00000 with it: it worsens the score');
});

const foldByLga = new Map(lgas.map((lga, at) => [lga.lga_code, (at % 2) + 1]));
const how = {
  states: ['AB', 'KN'],
  foldByLga,
  constants: CONSTANTS,
  draws: 60,
  seed: 1,
  near_optimum: null,
  spatial_only: true,
};

test('a covariate that is part of the truth lowers the error on held-out places, one that is not does not', () => {
  // neither is spatially smooth, so the fields cannot substitute for it
  const [real, idle] = [(at: number) => ((at * 7) % 16) / 8 - 1, (at: number) => ((at * 5 + 3) % 16) / 8 - 1];
  const covariate = (name: string, of: (at: number) => number) => ({
    name,
    transform: 'none' as const,
    square: false,
    values: cells.lga_code.map((_, cell) => of(cell >> 1)),
  });
  const clusters = inputs.surveys.clusters.map((cluster, k) => ({
    ...cluster,
    examined: 60,
    positivity: Math.round(60 / (1 + Math.exp(0.5 - 1.5 * real(k >> 1)))) / 60,
  }));
  const given = {
    ...inputs,
    surveys: { ...inputs.surveys, clusters },
    covariates: [covariate('real', real), covariate('idle', idle)],
  };
  const prepared = prepareRisk(given);
  const scored = (...names: string[]) => {
    const selected = withCovariates(prepared, ['population density', 'urban share', ...names]);
    return crossValidate(selected, how);
  };
  const plain = scored();
  const effect = (name: string) => covariateEffect(name, scored(name), plain);
  expect(effect('real').log_score.mean).toBeGreaterThan(0.3);
  expect(effect('real').crps.mean).toBeLessThan(-0.03);
  expect(Math.abs(effect('idle').log_score.mean)).toBeLessThan(0.15);
});
