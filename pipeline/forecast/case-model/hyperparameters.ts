/** The hyperparameters, their priors, and how a vector of their logarithms is read. */
import type { Course } from './covariance.ts';

export interface Prior {
  /** Log-normal: its median, and the standard deviation of the logarithm. */
  median: number;
  log_sd: number;
}

/** Courses of all levels. Areas come last, so that a change of another's parameter leaves their part as it is. */
export interface Courses {
  /** null where all areas are one group. */
  whole: Course | null;
  group: Course;
  area: Course;
}

const CONSTANT_SD = 2;
/** Of the season: its correlation is .91 a month apart, .50 a quarter and .25 half a year apart. */
export const SMOOTHNESS = 1.2;

/** Of the logarithms: off by a factor of e at two standard deviations; a level's life, by four. */
const LOG_SD = 0.5;
const MONTHS_LOG_SD = 0.7;

/** Medians: the level's size and life in months, the season's size, the shock's (0 where there is none). */
const course = (level: number, months: number, season: number, shock: number): Prior[] => [
  { median: level, log_sd: LOG_SD },
  { median: months, log_sd: MONTHS_LOG_SD },
  { median: season, log_sd: LOG_SD },
  ...(shock > 0 ? [{ median: shock, log_sd: LOG_SD }] : []),
];

export function priorsOf(hasWhole: boolean): Prior[] {
  return [...(hasWhole ? course(0.2, 12, 0.2, 0.05) : []), ...course(0.2, 12, 0.2, 0.1), ...course(0.3, 24, 0.15, 0)];
}

/** @param logs of the hyperparameters in the order of `priorsOf` */
export function coursesOf(logs: readonly number[], hasWhole: boolean): Courses {
  const values = logs.map(Math.exp);
  const take = (constant_sd: number, shocked: boolean): Course => {
    const [sd, months, season_sd] = values.splice(0, 3);
    return {
      constant_sd,
      level: { sd: sd!, months: months! },
      season_sd: season_sd!,
      shock_sd: shocked ? values.shift()! : 0,
    };
  };
  const whole = hasWhole ? take(0, true) : null;
  return { whole, group: take(0, true), area: take(CONSTANT_SD, false) };
}

/** −2 ln density of the priors, up to a constant. */
export function priorDeviance(logs: readonly number[], priors: readonly Prior[]): number {
  return logs.reduce((sum, x, i) => sum + ((x - Math.log(priors[i]!.median)) / priors[i]!.log_sd) ** 2, 0);
}
