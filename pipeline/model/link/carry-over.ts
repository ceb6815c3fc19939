/** Prediction of states' deviations from those of other states, as supported by left-out states. */
import { mean } from '../../lib/numerics/averages.ts';
import { studentQuantile } from '../../lib/numerics/student-t.ts';
import { type SlopeThroughZero, throughZero } from './deviations.ts';

export interface CarryOver {
  states: number;
  /**
   * Share of the squared deviations of left-out states that the others' mean explains, with equal weight for each
   * state.
   */
  explained: number;
  /** Regression of a state without records on the mean of the others; null if it is not used. */
  used: SlopeThroughZero | null;
}

/** Deviations by month; NaN if unknown. */
type Series = ArrayLike<number>;
const CONFIDENCE = 0.95;
/** Minimum number of states that count as evidence. */
const LEAST_STATES = 4;

/**
 * Predicts each state's deviations from the mean of the others', with the slope among the others. This is used if the
 * slope is positive and the explained share is above 0 in a one-sided t test over states at 5%.
 * @param series series over one span of months
 */
export function carryOverOf(series: readonly Series[]): CarryOver {
  const none = { states: series.length, explained: 0, used: null };
  if (series.length < LEAST_STATES) return none;
  const shares = series.flatMap((own, s) => {
    const others = series.filter((_, o) => o !== s);
    const { slope } = throughZero(
      others.flatMap((other, o) =>
        pairsWith(
          other,
          others.filter((_, i) => i !== o),
        ),
      ),
    );
    const pairs = pairsWith(own, others);
    const square = mean(pairs.map(([, y]) => y * y));
    return pairs.length > 0 && square > 0 ? [1 - mean(pairs.map(([x, y]) => (y - slope * x) ** 2)) / square] : [];
  });
  if (shares.length < LEAST_STATES) return none;
  const explained = mean(shares);
  const squares = shares.reduce((sum, value) => sum + (value - explained) ** 2, 0);
  const error = Math.sqrt(squares / (shares.length - 1) / shares.length);
  const useful = explained > studentQuantile(CONFIDENCE, shares.length - 1) * error;
  const all = throughZero(
    series.flatMap((own, s) =>
      pairsWith(
        own,
        series.filter((_, o) => o !== s),
      ),
    ),
  );
  return { states: shares.length, explained, used: useful && all.slope > 0 ? all : null };
}

/** Pairs of the others' mean and the state's own value, for months in which both are known. */
function pairsWith(own: Series, others: readonly Series[]): [number, number][] {
  return Array.from(own, (value, t): [number, number] => [meanOfKnown(others, t), value]).filter(
    ([x, y]) => !Number.isNaN(x) && !Number.isNaN(y),
  );
}

/** NaN if none is known. */
const meanOfKnown = (series: readonly Series[], t: number) =>
  mean(series.map((own) => own[t]!).filter((value) => !Number.isNaN(value)));
