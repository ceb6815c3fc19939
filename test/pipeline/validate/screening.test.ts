import { expect, test } from 'vitest';
import { covariateEffect, describeEffect } from '../../../pipeline/validate/covariate-effects.ts';
import type { FoldResult } from '../../../pipeline/validate/fold.ts';
import { type Score, screenCovariates } from '../../../pipeline/validate/screening.ts';
import { CONSTANTS, cells, inputs, lgas } from '../model/risk/toy-inputs.ts';

const row = (fold: number, log_score: number, crps = 0.1) => ({ model: 'spatial', fold, log_score, crps });
const rows = (scores: number[][]) =>
  scores.flatMap((own, k) => own.map((score) => row(k + 1, score))) as unknown as FoldResult;

test('an effect is the mean of the folds’ differences, with its standard error', () => {
  const found = covariateEffect('x', rows([[-1, -2], [-3]]), rows([[-2, -2], [-3.25]]));
  // 0.5 and 0.25: mean 0.375, standard error 0.125
  expect(found).toMatchObject({ covariate: 'x', folds: 2, log_score: { mean: 0.375, standard_error: 0.125 } });
  expect(describeEffect(found)).toBe(
    'x: held-out log score +0.3750 ± 0.1250, CRPS +0.00000 with it: no clear difference',
  );
  const sure = covariateEffect('x', rows([[-2], [-2], [-2.001]]), rows([[-1], [-1], [-1]]));
  expect(describeEffect(sure)).toContain('−1.0003 ± 0.0003, CRPS +0.00000 with it: it worsens the score');
});

const foldOf = new Map(lgas.map(({ lga_code }, at) => [lga_code, 1 + (at % 2)]));
const how = { states: ['AB', 'KN'], foldOf, constants: CONSTANTS, draws: 100, seed: 1, like: null };
const covariate = (name: string, scale: number) => ({
  name,
  transform: 'none' as const,
  square: false,
  values: cells.longitude.map((x, cell) => scale * x + (cell % 5)),
});

test('inner folds choose without the outer fold, and only the outer fold scores the choice', async () => {
  const asked: Parameters<Score>[0] = [];
  // `good` helps everywhere; `lucky` helps only where outer fold 1 is held out, so inner folds of it must not choose it
  const score: Score = async (jobs) => {
    asked.push(...jobs);
    return jobs.map(({ fold, covariates, unseen }) => {
      const luck = unseen ? 0 : fold === 1 ? 1 : 0;
      const gain = 0.1 * Number(covariates!.includes('good')) + luck * Number(covariates!.includes('lucky'));
      return [row(fold, -2 + gain + 0.001 * fold * Number(covariates!.includes('good')))] as unknown as FoldResult;
    });
  };
  const given = { ...inputs, covariates: [covariate('good', 1), covariate('lucky', 2)] };
  const found = await screenCovariates(given, how, () => {}, score);

  expect(found.chosen.map(({ fold, covariates }) => [fold, covariates])).toEqual([
    [1, ['good']],
    [2, ['good']],
  ]);
  expect(found.effects.map((effect) => effect.covariate)).toEqual([
    'good',
    'lucky',
    'population density',
    'urban share',
  ]);
  expect(found.effects[1]!.log_score.mean).toBeCloseTo(0.5, 12);
  expect(found.of_chosen.log_score.mean).toBeCloseTo(0.1015, 12);
  expect(found.all!.log_score.mean).toBeCloseTo(0.6015, 12);
  for (const { unseen, foldOf: inner } of asked.filter((job) => job.unseen)) {
    const hidden = foldOf.get([...unseen!][0]!);
    // the entire outer fold is unseen, and inner folds are formed from all LGAs
    expect(new Set([...unseen!].map((code) => foldOf.get(code)))).toEqual(new Set([hidden]));
    expect(unseen!.size).toBe(8);
    expect(inner!.size).toBe(16);
  }
});
