import { BASELINES } from './baselines.ts';
import { caseModel } from './case-model.ts';
import { type Forecaster, withPastErrors } from './past-errors.ts';
import { recalibrate } from './recalibration.ts';

/** New instances of all methods, without past forecasts; the case model is last. */
export const forecasters = (model: Forecaster = recalibrate(caseModel())): Forecaster[] => [
  ...BASELINES.map(withPastErrors),
  model,
];
