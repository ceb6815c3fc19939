/** Quantiles of a count whose rate is uncertain, without random draws. */
import { normalQuantile } from '../../lib/numerics/normal.ts';
import { percentIndex, SHARES } from './forecast-scores.ts';

/** Counts up to which the distribution is summed exactly. */
const EXACT_UP_TO = 30;
/** Rates at which a count up to `EXACT_UP_TO` has a probability below 1e-9. */
const SURELY_LARGE = 100;
const SCORES = SHARES.map((share) => normalQuantile(share));
/** Weights of the 99 quantiles as nodes of a distribution; the outermost stand for the tails, too. */
const WEIGHTS = SHARES.map((share) => (share === SHARES[0] || share === SHARES.at(-1) ? 0.015 : 0.01));

/**
 * The 99 quantiles of a Poisson count, whole numbers of 0 or more, from those of the logarithm of its rate. Up to 30
 * they are those of the mixture of 99 Poisson distributions; above, the square root of a count is normal about that of
 * its rate with variance 1/4, and distances from the median add up in squares, which vanishes against the rate's
 * uncertainty where counts are large.
 */
export function countQuantiles(logRates: Float64Array): Float64Array {
  const rates = logRates.map(Math.exp);
  const median = Math.sqrt(rates[percentIndex(50)]!);
  const chances = rates[0]! < SURELY_LARGE ? smallCounts(rates) : [];
  let small = 0;
  return rates.map((rate, i) => {
    while (small < chances.length && chances[small]! < SHARES[i]!) small++;
    if (small < chances.length) return small;
    const distance = Math.hypot(Math.sqrt(rate) - median, SCORES[i]! / 2);
    const root = Math.max(0, SHARES[i]! < 0.5 ? median - distance : median + distance);
    return Math.max(chances.length, Math.round(root * root));
  });
}

/** Probabilities of at most 0, 1, … `EXACT_UP_TO` cases. */
function smallCounts(rates: Float64Array): number[] {
  const terms = rates.map((rate, i) => WEIGHTS[i]! * Math.exp(-rate));
  let sum = 0;
  return Array.from({ length: EXACT_UP_TO + 1 }, (_, count) => {
    if (count > 0) for (let i = 0; i < terms.length; i++) terms[i]! *= rates[i]! / count;
    sum += terms.reduce((total, term) => total + term, 0);
    return sum;
  });
}
