import { BASELINES } from './baselines.ts';
import { caseModel } from './case-model.ts';
import { type Forecaster, withPastErrors } from './past-errors.ts';
import { recalibrate } from './recalibration.ts';

/** New instances of the simple methods, without past forecasts, and the models after them. */
export const forecasters = (models: readonly Forecaster[] = [recalibrate(caseModel())]): Forecaster[] => [
  ...BASELINES.map(withPastErrors),
  ...models,
];
