/** A worker thread of validation and screening, which predicts folds. */
import { parentPort, workerData } from 'node:worker_threads';
import { prepareRisk, type RiskInputs, withCovariates } from '../model/risk/inputs.ts';
import { type CrossValidation, type HeldOut, predictFold } from './cross-validation.ts';

export interface FoldData {
  inputs: RiskInputs;
  how: CrossValidation;
}
/** A fold to predict; settings not given are those of `how`. */
export interface FoldTask extends Partial<Pick<CrossValidation, 'foldOf' | 'spatial_only'>> {
  fold: number;
  /** Names of the covariates that the model uses; all by default. */
  covariates?: readonly string[];
  /** LGAs whose surveys are neither fitted nor predicted. */
  unseen?: ReadonlySet<string>;
}
/** Held-out predictions without their draws, which are large and already summarised by the scores. */
export type FoldResult = Omit<HeldOut, 'draws'>[];

const { inputs, how } = workerData as FoldData;
const prepared = prepareRisk(inputs);

parentPort!.on('message', ({ fold, covariates, unseen, ...other }: FoldTask) => {
  const selected = covariates ? withCovariates(prepared, covariates) : prepared;
  const observed = selected.observed.filter(
    (observation) => observation.lga_code === null || !unseen?.has(observation.lga_code),
  );
  const rows: FoldResult = Array.from(
    predictFold({ ...selected, observed }, fold, { ...how, ...other }),
    ({ draws: _, ...row }) => row,
  );
  parentPort!.postMessage(rows);
});
