/** The hyperparameters, their priors, and their conversion from a vector of logarithms. */
import type { ProcessParameters } from './covariance.ts';

/** A log-normal prior. */
export interface Prior {
  median: number;
  /** Standard deviation of the logarithm. */
  log_sd: number;
}

/** Parameters of the processes at all levels. */
export interface LevelParameters {
  /** null if all areas are one group. */
  country: ProcessParameters | null;
  group: ProcessParameters;
  area: ProcessParameters;
}

const CONSTANT_SD = 2;
/** Smoothness of the season: its correlation is .91 one month apart, .50 a quarter and .25 half a year apart. */
export const SMOOTHNESS = 1.2;

/** Standard deviations of the logarithms: two of them are a factor of e or, for a level's time constant, of four. */
const LOG_SD = 0.5;
const MONTHS_LOG_SD = 0.7;

/** Priors with these medians: standard deviation and time constant of the level, season, shock (0 if there is none). */
const processPriors = (level: number, months: number, season: number, shock: number): Prior[] => [
  { median: level, log_sd: LOG_SD },
  { median: months, log_sd: MONTHS_LOG_SD },
  { median: season, log_sd: LOG_SD },
  ...(shock > 0 ? [{ median: shock, log_sd: LOG_SD }] : []),
];

export function hyperparameterPriors(hasCountry: boolean): Prior[] {
  return [
    ...(hasCountry ? processPriors(0.2, 12, 0.2, 0.05) : []),
    ...processPriors(0.2, 12, 0.2, 0.1),
    ...processPriors(0.3, 24, 0.15, 0),
  ];
}

/** @param logs logarithms of the hyperparameters, in the order of `hyperparameterPriors` */
export function unpackParameters(logs: readonly number[], hasCountry: boolean): LevelParameters {
  const values = logs.map(Math.exp);
  const take = (constant_sd: number, shocked: boolean): ProcessParameters => {
    const [sd, months, season_sd] = values.splice(0, 3);
    return {
      constant_sd,
      level: { sd: sd!, months: months! },
      season_sd: season_sd!,
      shock_sd: shocked ? values.shift()! : 0,
    };
  };
  const country = hasCountry ? take(0, true) : null;
  return { country, group: take(0, true), area: take(CONSTANT_SD, false) };
}

/** −2 ln density of the priors, up to a constant. */
export function priorDeviance(logs: readonly number[], priors: readonly Prior[]): number {
  return logs.reduce((sum, x, i) => sum + ((x - Math.log(priors[i]!.median)) / priors[i]!.log_sd) ** 2, 0);
}
