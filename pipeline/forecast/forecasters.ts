import { BASELINES } from './baselines.ts';
import { caseModel } from './case-model/forecaster.ts';
import { type Forecaster, withPastErrors } from './past-errors.ts';
import { recalibrated } from './recalibration.ts';

/** Every method anew, knowing nothing yet, the case model last. */
export const forecasters = (model: Forecaster = recalibrated(caseModel())): Forecaster[] => [
  ...BASELINES.map(withPastErrors),
  model,
];
