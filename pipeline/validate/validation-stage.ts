import type { StageRun } from '../catalog/country-stage.ts';
import type { ReportLine } from '../engine/stage.ts';
import { mapInThreads } from '../engine/threads.ts';
import type { FitSummary } from '../model/risk/estimate.ts';
import { prepareRisk, readInputs } from '../model/risk/inputs.ts';
import type { RiskModel } from '../model/risk/risk-tables.ts';
import { covariateEffect, describeEffect } from './covariate-effects.ts';
import { crossValidationSettings, foldNumbers, placedObservations } from './cross-validation.ts';
import type { FoldAnswer, FoldData, FoldTask } from './fold-worker.ts';
import { assignFolds, surveyedLgas } from './spatial-folds.ts';
import type { Validation } from './validation.ts';
import { summariseValidation } from './validation-summary.ts';

const BLOCK_DEGREES = 1;
const FOLDS = 5;
/** Fewer than for the scores: a fold's log score moves by 0.002, a thirtieth of its standard error over folds. */
const DRAWS = 300;

/**
 * The evidence for the risk scores: cross-validation of both models on held-out surveys, in folds of spatial blocks.
 */
export const run: StageRun = async (io) => {
  const evidence = io.artifact<{ model: RiskModel | null; spatial: FitSummary | null }>('risk/evidence');
  if (evidence.model === null) return { scores: null, report: [] };
  const inputs = readInputs(io);
  const prepared = prepareRisk(inputs);
  const surveyed = placedObservations(prepared.observations).map((observation) => ({
    lga_code: observation.lga_code,
    examined: observation.risk.examined,
  }));
  const foldByLga = assignFolds(surveyedLgas(inputs.cells, surveyed), FOLDS, BLOCK_DEGREES);
  const folds = foldNumbers(prepared, foldByLga);
  const settings = {
    ...crossValidationSettings(io.model, inputs, prepared, foldByLga, evidence.spatial?.optimum ?? null),
    draws: DRAWS,
  };
  const addedCovariates = inputs.covariates.map(({ name }) => name);
  io.progress(
    0.1,
    `${folds.length} folds${addedCovariates.length > 0 ? `, with and without ${addedCovariates.join(', ')}` : ''}`,
  );
  const allCovariates = prepared.covariates.map(({ name }) => name);
  const tasksWithout = addedCovariates.flatMap((excluded) => {
    const covariates = allCovariates.filter((name) => name !== excluded);
    return folds.map((fold): FoldTask => ({ fold, covariates, spatial_only: true }));
  });
  const data: FoldData = { inputs, settings };
  const tasks = folds.length > 1 ? [...folds.map((fold): FoldTask => ({ fold })), ...tasksWithout] : [];
  const answers = await mapInThreads<FoldTask, FoldAnswer>(new URL('./fold-worker.ts', import.meta.url), data, tasks);
  const results = answers.map((answer) => answer.rows);
  const rows = results.slice(0, folds.length).flat();
  if (rows.length === 0) {
    const what = 'no round has surveys in two blocks, so no place can be predicted from others';
    return { scores: null, report: [{ source: 'survey_clusters', rule: 'cross-validation', what }] };
  }
  const effects = addedCovariates.map((name, k) =>
    covariateEffect(name, rows, results.slice((k + 1) * folds.length, (k + 2) * folds.length).flat()),
  );
  const zoneByState = new Map(inputs.areas.states.map(({ state_code, zone }) => [state_code, zone]));
  const scores: Validation = summariseValidation(rows, evidence.model, BLOCK_DEGREES, zoneByState, effects);
  const report: ReportLine[] = [
    { source: 'survey_clusters', rule: 'cross-validation', what: scores.words },
    ...answers.flatMap(({ usual_start }, k) => (usual_start ? [describeUsualStart(tasks[k]!)] : [])),
    ...effects.map((effect) => ({ source: effect.covariate, rule: 'covariate', what: describeEffect(effect) })),
  ];
  return { scores, report };
};

const describeUsualStart = ({ fold, covariates }: FoldTask): ReportLine => ({
  source: 'survey_clusters',
  rule: 'cross-validation',
  what: `fold ${fold}${covariates ? ' with a covariate left out' : ''}: the risk model could not start where the fit to all surveys ended, and was fitted from the usual start`,
});
