/** Screening of the catalog's covariates on surveys that are used neither in the fit nor in the choice. */
import type { Model } from '../catalog/model.ts';
import { mapInThreads } from '../engine/threads.ts';
import { UsageError } from '../lib/errors.ts';
import { fitRisk } from '../model/risk/fit.ts';
import { addedCovariates, prepareRisk, type RiskInputs } from '../model/risk/inputs.ts';
import { covariateEffect, describeEffect } from './covariate-effects.ts';
import { type CrossValidation, foldNumbers, placedObservations, settingsFor } from './cross-validation.ts';
import type { FoldData, FoldResult, FoldTask } from './fold.ts';
import { foldByBlock, surveyedLgas } from './spatial-folds.ts';
import type { CovariateEffect, OverFolds } from './validation.ts';

/** Number of inner folds and side of their blocks, as in a build's validation. */
const INNER = { folds: 5, block_degrees: 1 };

export interface Screening {
  /** Effects of each catalog covariate added to the population covariates, and of each population covariate. */
  effects: CovariateEffect[];
  /** Effect of all catalog covariates together; null if there are fewer than two. */
  all: CovariateEffect | null;
  /** The choice of the inner folds, by outer fold. */
  chosen: { fold: number; covariates: string[]; inner: CovariateEffect[] }[];
  /** Effect of the chosen covariates on the outer folds, which were not used in the choice. */
  of_chosen: CovariateEffect;
}

/** Scores models on held-out folds. */
export type Score = (tasks: FoldTask[]) => Promise<FoldResult[]>;

/**
 * Screens a country's covariates. Every fit starts from the fit to all data, as in a build's validation.
 * @throws UsageError if model.json names no covariates, or a surveyed LGA has no fold
 */
export function screenCountry(
  model: Model,
  inputs: RiskInputs,
  foldOf: Map<string, number>,
  onProgress: (share: number, what: string) => void,
): Promise<Screening> {
  if (addedCovariates(inputs).length === 0)
    throw new UsageError('model.json: found no covariates, expected some in parameters.risk.covariates');
  const prepared = prepareRisk(inputs);
  const how = settingsFor(model, inputs, prepared, foldOf, null);
  const observations = prepared.observed.map(({ risk }) => risk);
  const { optimum } = fitRisk(prepared.mesh, prepared.times, observations, how.constants);
  return screenCovariates(inputs, { ...how, like: optimum }, onProgress);
}

/**
 * Screens the catalog's covariates. For each outer fold, inner folds are formed from the other LGAs, and a covariate is
 * chosen if it raises the inner folds' log score by more than one standard error; the outer fold then scores the
 * choice. The effect of the chosen covariates is therefore the gain of the entire procedure, including the choice, on
 * unseen places.
 * @param score scores models on held-out folds; by default in threads
 * @throws UsageError if a surveyed LGA has no fold
 */
export async function screenCovariates(
  inputs: RiskInputs,
  how: CrossValidation,
  onProgress: (share: number, what: string) => void,
  score: Score = inThreads(inputs, how),
): Promise<Screening> {
  const prepared = prepareRisk(inputs);
  const added = addedCovariates(inputs);
  const population = prepared.covariates.map(({ name }) => name).filter((name) => !added.includes(name));
  const folds = foldNumbers(prepared, how.foldOf);
  const outer = async (sets: readonly (readonly string[])[]) => {
    const tasks = sets.flatMap((covariates) => folds.map((fold) => ({ fold, covariates })));
    return chunked(await score(tasks), folds.length).map((rows) => rows.flat());
  };

  const steps = folds.length + 2;
  onProgress(0, `${folds.length} folds with and without each covariate`);
  const sets = [
    population,
    ...added.map((name) => [...population, name]),
    ...population.map((name) => population.filter((other) => other !== name)),
    ...(added.length > 1 ? [[...population, ...added]] : []),
  ];
  const [populationOnly, ...others] = await outer(sets);
  const effects = [
    ...added.map((name, k) => covariateEffect(name, others[k]!, populationOnly!)),
    ...population.map((name, k) => covariateEffect(name, populationOnly!, others[added.length + k]!)),
  ];

  const chosen: Screening['chosen'] = [];
  for (const [i, fold] of folds.entries()) {
    onProgress((i + 1) / steps, `inner folds of fold ${fold}`);
    const inner = await innerEffects(prepared, inputs, how.foldOf, fold, population, added, score);
    chosen.push({ fold, inner, covariates: inner.filter(isClear).map(({ covariate }) => covariate) });
  }
  onProgress((steps - 1) / steps, 'chosen covariates');
  const ofChosen = await score(
    chosen.map(({ fold, covariates }) => ({ fold, covariates: [...population, ...covariates] })),
  );
  return {
    effects,
    all: added.length > 1 ? covariateEffect('all', others.at(-1)!, populationOnly!) : null,
    chosen,
    of_chosen: covariateEffect('chosen', ofChosen.flat(), populationOnly!),
  };
}

/** Describes a screening in lines: each effect and how often inner folds chose it, then what they chose together. */
export function describeScreening({ effects, all, chosen, of_chosen }: Screening): string[] {
  return [
    ...effects.map((effect) => {
      const times = chosen.filter(({ covariates }) => covariates.includes(effect.covariate)).length;
      const added = chosen[0]!.inner.some(({ covariate }) => covariate === effect.covariate);
      return `${describeEffect(effect)}${added ? `; chosen by the inner folds of ${times} in ${chosen.length}` : ''}`;
    }),
    ...(all ? [describeEffect({ ...all, covariate: 'all of the catalog together' })] : []),
    describeEffect({ ...of_chosen, covariate: 'what inner folds chose' }),
  ];
}

/** Effect of each covariate on inner folds of blocks formed from the LGAs outside `fold`. */
async function innerEffects(
  { observed }: ReturnType<typeof prepareRisk>,
  { cells }: RiskInputs,
  outer: Map<string, number>,
  fold: number,
  population: readonly string[],
  added: readonly string[],
  score: Score,
): Promise<CovariateEffect[]> {
  const known = placedObservations(observed).filter(({ lga_code }) => outer.get(lga_code) !== fold);
  const surveyed = known.map((observation) => ({
    lga_code: observation.lga_code,
    examined: observation.risk.examined,
  }));
  const foldOf = foldByBlock(surveyedLgas(cells, surveyed), INNER.folds, INNER.block_degrees);
  const folds = [...new Set(known.map(({ lga_code }) => foldOf.get(lga_code)!))].sort((a, b) => a - b);
  const unseen = new Set([...outer].filter(([, of]) => of === fold).map(([code]) => code));
  const sets = [population, ...added.map((name) => [...population, name])];
  const tasks = sets.flatMap((covariates) => folds.map((inner) => ({ fold: inner, covariates, unseen, foldOf })));
  const [populationOnly, ...others] = chunked(await score(tasks), folds.length).map((rows) => rows.flat());
  return added.map((name, k) => covariateEffect(name, others[k]!, populationOnly!));
}

const isClear = ({ log_score: { mean, standard_error } }: { log_score: OverFolds }) => mean > (standard_error ?? 0);

const chunked = <T>(values: T[], size: number): T[][] =>
  Array.from({ length: values.length / size }, (_, k) => values.slice(k * size, (k + 1) * size));

const inThreads =
  (inputs: RiskInputs, how: CrossValidation): Score =>
  (tasks) => {
    const data: FoldData = { inputs, how: { ...how, spatial_only: true } };
    return mapInThreads<FoldTask, FoldResult>(new URL('./fold.ts', import.meta.url), data, tasks);
  };
