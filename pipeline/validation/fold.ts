/** A thread of the validation stage: predicts one fold. */
import { parentPort, workerData } from 'node:worker_threads';
import { prepareRisk, type RiskInputs } from '../risk/inputs.ts';
import { type CrossValidation, type HeldOut, predictFold } from './cross-validation.ts';

export interface FoldTask {
  inputs: RiskInputs;
  fold: number;
  how: CrossValidation;
}
/** Without the draws, which are large and already turned into scores. */
export type FoldResult = Omit<HeldOut, 'draws'>[];

const { inputs, fold, how } = workerData as FoldTask;
const rows: FoldResult = Array.from(predictFold(prepareRisk(inputs), fold, how), ({ draws: _, ...row }) => row);
parentPort!.postMessage(rows);
