import { expect, test } from 'vitest';
import { prepareRisk, withCovariates } from '../../../pipeline/model/risk/inputs.ts';
import { covariateEffect } from '../../../pipeline/validate/covariate-effects.ts';
import { crossValidate } from '../../../pipeline/validate/cross-validation.ts';
import { CONSTANTS, cells, inputs, lgas } from '../model/risk/toy-inputs.ts';

const foldOf = new Map(lgas.map((lga, at) => [lga.lga_code, (at % 2) + 1]));
const how = { states: ['AB', 'KN'], foldOf, constants: CONSTANTS, draws: 60, seed: 1, like: null, spatial_only: true };

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
