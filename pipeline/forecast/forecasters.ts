import { BASELINES } from './baselines.ts';
import { type Forecaster, withPastErrors } from './past-errors.ts';

/** Every method anew, knowing nothing yet. */
export const forecasters = (): Forecaster[] => BASELINES.map(withPastErrors);
