/** The hyperparameters, their priors, and their conversion from a vector of logarithms. */
import type { ProcessParameters } from './covariance.ts';

/** A log-normal prior. */
export interface LogNormalPrior {
  median: number;
  /** Standard deviation of the logarithm. */
  log_sd: number;
}

/** Parameters of the processes at all levels. */
export interface HierarchyParameters {
  /** null if all areas are one group. */
  country: ProcessParameters | null;
  group: ProcessParameters;
  area: ProcessParameters;
}

const AREA_CONSTANT_SD = 2;
/** Smoothness of the season: its correlation is .91 one month apart, .50 a quarter and .25 half a year apart. */
export const SEASON_SMOOTHNESS = 1.2;

/** Standard deviations of the logarithms: two of them are a factor of e or, for a level's time constant, of four. */
const LOG_SD = 0.5;
const TIME_CONSTANT_LOG_SD = 0.7;

/** Priors with these medians: standard deviation and time constant of the level, season, shock (0 if there is none). */
const processPriors = (level: number, months: number, season: number, shock: number): LogNormalPrior[] => [
  { median: level, log_sd: LOG_SD },
  { median: months, log_sd: TIME_CONSTANT_LOG_SD },
  { median: season, log_sd: LOG_SD },
  ...(shock > 0 ? [{ median: shock, log_sd: LOG_SD }] : []),
];

export function hyperparameterPriors(hasCountry: boolean): LogNormalPrior[] {
  return [
    ...(hasCountry ? processPriors(0.2, 12, 0.2, 0.05) : []),
    ...processPriors(0.2, 12, 0.2, 0.1),
    ...processPriors(0.3, 24, 0.15, 0),
  ];
}

/** @param logParameters logarithms of the hyperparameters, in the order of `hyperparameterPriors` */
export function unpackHyperparameters(logParameters: readonly number[], hasCountry: boolean): HierarchyParameters {
  const values = logParameters.map(Math.exp);
  const takeProcess = (constant_sd: number, hasShock: boolean): ProcessParameters => {
    const [sd, months, season_sd] = values.splice(0, 3);
    return {
      constant_sd,
      level: { sd: sd!, months: months! },
      season_sd: season_sd!,
      shock_sd: hasShock ? values.shift()! : 0,
    };
  };
  const country = hasCountry ? takeProcess(0, true) : null;
  return { country, group: takeProcess(0, true), area: takeProcess(AREA_CONSTANT_SD, false) };
}

/** −2 ln density of the priors, up to a constant. */
export function priorDeviance(logParameters: readonly number[], priors: readonly LogNormalPrior[]): number {
  return logParameters.reduce((sum, x, i) => sum + ((x - Math.log(priors[i]!.median)) / priors[i]!.log_sd) ** 2, 0);
}
