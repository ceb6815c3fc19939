/** A thread of validation and screening: predicts the folds that it is sent. */
import { parentPort, workerData } from 'node:worker_threads';
import { prepareRisk, type RiskInputs, withCovariates } from '../risk/inputs.ts';
import { type CrossValidation, type HeldOut, predictFold } from './cross-validation.ts';

export interface FoldData {
  inputs: RiskInputs;
  how: CrossValidation;
}
/** A fold to predict; what is not given is as in `how`. */
export interface FoldTask extends Partial<Pick<CrossValidation, 'foldOf' | 'spatial_only'>> {
  fold: number;
  /** Names of the covariates that the model is told of; all of them unless given. */
  covariates?: readonly string[];
  /** LGAs whose surveys are neither fitted nor predicted. */
  unseen?: ReadonlySet<string>;
}
/** Without the draws, which are large and already turned into scores. */
export type FoldResult = Omit<HeldOut, 'draws'>[];

const { inputs, how } = workerData as FoldData;
const prepared = prepareRisk(inputs);

parentPort!.on('message', ({ fold, covariates, unseen, ...other }: FoldTask) => {
  const told = covariates ? withCovariates(prepared, covariates) : prepared;
  const observed = told.observed.filter((o) => o.lga_code === null || !unseen?.has(o.lga_code));
  const rows: FoldResult = Array.from(
    predictFold({ ...told, observed }, fold, { ...how, ...other }),
    ({ draws: _, ...row }) => row,
  );
  parentPort!.postMessage(rows);
});
