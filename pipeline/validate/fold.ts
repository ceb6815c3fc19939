/** A worker thread of the validation, which predicts folds. */
import { parentPort, workerData } from 'node:worker_threads';
import { prepareRisk, type RiskInputs, withCovariates } from '../model/risk/inputs.ts';
import { type CrossValidation, type HeldOut, predictFold } from './cross-validation.ts';

export interface FoldData {
  inputs: RiskInputs;
  how: CrossValidation;
}
/** A fold to predict. */
export interface FoldTask extends Pick<CrossValidation, 'spatial_only'> {
  fold: number;
  /** Names of the covariates that the model uses; all by default. */
  covariates?: readonly string[];
}
/** Held-out predictions without their draws, which are large and already summarised by the scores. */
export type FoldResult = Omit<HeldOut, 'draws'>[];

const { inputs, how } = workerData as FoldData;
const prepared = prepareRisk(inputs);

parentPort!.on('message', ({ fold, covariates, spatial_only = false }: FoldTask) => {
  const selected = covariates ? withCovariates(prepared, covariates) : prepared;
  const rows: FoldResult = Array.from(
    predictFold(selected, fold, { ...how, spatial_only }),
    ({ draws: _, ...row }) => row,
  );
  parentPort!.postMessage(rows);
});
