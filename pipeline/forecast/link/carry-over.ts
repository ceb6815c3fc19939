/** What the records of some states say of the deviations of others, as far as states left out show it. */
import { mean } from '../../numerics/averages.ts';
import { studentQuantile } from '../../numerics/student-t.ts';
import { type Lasting, throughZero } from './deviations.ts';

export interface CarryOver {
  states: number;
  /** Share of the squared deviations of states left out that the others' mean explains, each state counting the same. */
  explained: number;
  /** Deviation of a state without records for a unit of the others' mean, and what that leaves open; null: no use. */
  used: Lasting | null;
}

/** By month; NaN is unknown. */
type Course = ArrayLike<number>;
const CONFIDENCE = 0.95;
/** Fewer states say nothing. */
const LEAST_STATES = 4;

/**
 * Each state's deviations from the mean of the others', by a slope that the other states have among themselves. Used
 * where the slope is above 0 and so are the squared errors saved, in a one-sided t test over states at 5%.
 * @param courses of one span of months
 */
export function carryOverOf(courses: readonly Course[]): CarryOver {
  const none = { states: courses.length, explained: 0, used: null };
  if (courses.length < LEAST_STATES) return none;
  const saved = courses.flatMap((own, s) => {
    const others = courses.filter((_, o) => o !== s);
    const { slope } = throughZero(
      others.flatMap((one, o) =>
        beside(
          one,
          others.filter((_, i) => i !== o),
        ),
      ),
    );
    const pairs = beside(own, others);
    const square = mean(pairs.map(([, y]) => y * y));
    return pairs.length > 0 && square > 0 ? [1 - mean(pairs.map(([x, y]) => (y - slope * x) ** 2)) / square] : [];
  });
  if (saved.length < LEAST_STATES) return none;
  const explained = mean(saved);
  const squares = saved.reduce((sum, value) => sum + (value - explained) ** 2, 0);
  const error = Math.sqrt(squares / (saved.length - 1) / saved.length);
  const useful = explained > studentQuantile(CONFIDENCE, saved.length - 1) * error;
  const all = throughZero(
    courses.flatMap((own, s) =>
      beside(
        own,
        courses.filter((_, o) => o !== s),
      ),
    ),
  );
  return { states: saved.length, explained, used: useful && all.slope > 0 ? all : null };
}

/** Months that are known of a state and of some of the others: the others' mean, and its own. */
function beside(own: Course, others: readonly Course[]): [number, number][] {
  return Array.from(own, (value, t): [number, number] => [meanOfKnown(others, t), value]).filter(
    ([x, y]) => !Number.isNaN(x) && !Number.isNaN(y),
  );
}

/** NaN where none is known. */
const meanOfKnown = (courses: readonly Course[], t: number) =>
  mean(courses.map((one) => one[t]!).filter((value) => !Number.isNaN(value)));
