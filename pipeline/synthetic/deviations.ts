import { monthIndex, type Period, periodRange } from '../contract/months.ts';
import { type Random, randomStream } from '../lib/numerics/random.ts';
import { LINK, type TruthFamily } from './families.ts';
import { STATES } from './states.ts';

/**
 * Deviations from the usual season that last some months, by state (in the order of `STATES`) and month from `first`
 * on.
 */
export interface Deviations {
  first: Period;
  /** Change of logit prevalence per unit of ln cases; 0 if cases do not predict prevalence. */
  elasticity: number;
  /** Logit. */
  prevalence: number[][];
  /** Of ln cases: a course that follows prevalence (or, if unlinked, an independent one), plus reporting. */
  cases: number[][];
}

/** Draws a family's deviations, each course from its own random stream; null if the family has none. */
export function drawDeviations(seed: number, family: TruthFamily, first: Period, last: Period): Deviations | null {
  if (family !== 'linked' && family !== 'unlinked') return null;
  const months = periodRange(first, last).length;
  const coursesOf = (name: string, of: CourseRecipe) => drawCourses(seed, `truth deviations ${name}`, of, months);
  const prevalence = coursesOf('prevalence', LINK.deviations);
  const followed = family === 'linked' ? prevalence : coursesOf('cases', LINK.deviations);
  const reporting = coursesOf('reporting', LINK.reporting);
  const cases = followed.map((own, state) =>
    own.map((value, month) => value / LINK.elasticity + reporting[state]![month]!),
  );
  return { first, elasticity: family === 'linked' ? LINK.elasticity : 0, prevalence, cases };
}

/** A state's value in a month; 0 if the family has no deviations. @throws RangeError if the month is out of range */
export function deviationIn(deviations: Deviations | null, of: 'prevalence' | 'cases', state: number, period: Period) {
  if (deviations === null) return 0;
  const value = deviations[of][state]![monthIndex(period) - monthIndex(deviations.first)];
  if (value === undefined) throw new RangeError(`no deviation in ${period}`);
  return value;
}

interface CourseRecipe {
  nation_sd: number;
  state_sd: number;
  /** Time in which the autocorrelation falls to 1/e. */
  months: number;
}

/** Sums of a state's own course and the nation's: Ornstein-Uhlenbeck processes at monthly steps. */
function drawCourses(seed: number, name: string, recipe: CourseRecipe, months: number): number[][] {
  const courseOf = (random: Random) => {
    const keep = Math.exp(-1 / recipe.months);
    let value = random.normal();
    return Array.from({ length: months }, (_, month) => {
      if (month > 0) value = keep * value + Math.sqrt(1 - keep * keep) * random.normal();
      return value;
    });
  };
  const nation = courseOf(randomStream(seed, name));
  return STATES.map(({ state_code }) =>
    courseOf(randomStream(seed, `${name} ${state_code}`)).map(
      (value, month) => recipe.state_sd * value + recipe.nation_sd * nation[month]!,
    ),
  );
}
