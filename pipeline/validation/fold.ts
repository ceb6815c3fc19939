/** A thread of the validation stage: predicts one fold. */
import { parentPort, workerData } from 'node:worker_threads';
import { prepareRisk, type RiskInputs } from '../risk/inputs.ts';
import { type CrossValidation, type HeldOut, predictFold } from './cross-validation.ts';

export interface FoldTask {
  inputs: RiskInputs;
  fold: number;
  how: CrossValidation;
}
/** Its draws stay behind: they are large, and the scores are made of them already. */
export type FoldResult = Omit<HeldOut, 'draws'>[];

const { inputs, fold, how } = workerData as FoldTask;
const rows: FoldResult = Array.from(predictFold(prepareRisk(inputs), fold, how), ({ draws: _, ...row }) => row);
parentPort!.postMessage(rows);
