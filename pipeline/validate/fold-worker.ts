/** A worker thread of the validation, which predicts folds. */
import { parentPort, workerData } from 'node:worker_threads';
import { prepareRisk, type RiskInputs, withCovariates } from '../model/risk/inputs.ts';
import { type CrossValidationSettings, type HeldOutCell, predictFold } from './cross-validation.ts';

export interface FoldData {
  inputs: RiskInputs;
  settings: CrossValidationSettings;
}
/** A fold to predict. */
export interface FoldTask extends Pick<CrossValidationSettings, 'spatial_only'> {
  fold: number;
  /** Names of the covariates that the model uses; all by default. */
  covariates?: readonly string[];
}
/** Held-out predictions without their draws, which are large and already summarised by the scores. */
export type FoldResult = Omit<HeldOutCell, 'draws'>[];
export interface FoldAnswer {
  rows: FoldResult;
  /** Whether the risk model's fit could not start where that to all surveys ended. */
  usual_start: boolean;
}

const { inputs, settings } = workerData as FoldData;
const prepared = prepareRisk(inputs);

parentPort!.on('message', ({ fold, covariates, spatial_only = false }: FoldTask) => {
  const foldInputs = covariates ? withCovariates(prepared, covariates) : prepared;
  const answer: FoldAnswer = { rows: [], usual_start: false };
  const heldOutCells = predictFold(foldInputs, fold, { ...settings, spatial_only }, () => {
    answer.usual_start = true;
  });
  answer.rows = Array.from(heldOutCells, ({ draws: _, ...row }) => row);
  parentPort!.postMessage(answer);
});
