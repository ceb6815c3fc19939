/** Quantiles of a count whose rate is uncertain, without random draws. */
import { normalQuantile } from '../../lib/numerics/normal.ts';
import { percentIndex, QUANTILE_LEVELS } from './forecast-scores.ts';

/** Counts up to which the distribution is summed exactly. */
const LARGEST_EXACT_COUNT = 30;
/** Rates at which a count up to `LARGEST_EXACT_COUNT` has a probability below 1e-9. */
const LARGE_RATE = 100;
const NORMAL_SCORES = QUANTILE_LEVELS.map((share) => normalQuantile(share));
/** Weights of the 99 quantiles as nodes of a distribution; the outermost stand for the tails, too. */
const WEIGHTS = QUANTILE_LEVELS.map((share) =>
  share === QUANTILE_LEVELS[0] || share === QUANTILE_LEVELS.at(-1) ? 0.015 : 0.01,
);

/**
 * The 99 quantiles of a Poisson count, whole numbers of 0 or more, from those of the logarithm of its rate. Up to 30
 * they are those of the mixture of 99 Poisson distributions; above, the square root of a count is normal about that of
 * its rate with variance 1/4, and distances from the median add up in squares, which vanishes against the rate's
 * uncertainty where counts are large.
 */
export function countQuantiles(logRates: Float64Array): Float64Array {
  const rates = logRates.map(Math.exp);
  const rootMedian = Math.sqrt(rates[percentIndex(50)]!);
  const cumulative = rates[0]! < LARGE_RATE ? cumulativeProbabilities(rates) : [];
  let count = 0;
  return rates.map((rate, i) => {
    while (count < cumulative.length && cumulative[count]! < QUANTILE_LEVELS[i]!) count++;
    if (count < cumulative.length) return count;
    const distance = Math.hypot(Math.sqrt(rate) - rootMedian, NORMAL_SCORES[i]! / 2);
    const root = Math.max(0, QUANTILE_LEVELS[i]! < 0.5 ? rootMedian - distance : rootMedian + distance);
    return Math.max(cumulative.length, Math.round(root * root));
  });
}

/** Probabilities of at most 0, 1, … `LARGEST_EXACT_COUNT` cases. */
function cumulativeProbabilities(rates: Float64Array): number[] {
  const terms = rates.map((rate, i) => WEIGHTS[i]! * Math.exp(-rate));
  let sum = 0;
  return Array.from({ length: LARGEST_EXACT_COUNT + 1 }, (_, count) => {
    if (count > 0) for (let i = 0; i < terms.length; i++) terms[i]! *= rates[i]! / count;
    sum += terms.reduce((total, term) => total + term, 0);
    return sum;
  });
}
