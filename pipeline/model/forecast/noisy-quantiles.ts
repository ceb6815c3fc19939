/** Quantiles of a normal variable plus Student's t noise, which have no closed form. */
import { normalQuantile } from '../../lib/numerics/normal.ts';
import { studentCdf } from '../../lib/numerics/student-t.ts';
import { QUANTILE_LEVELS } from './forecast-scores.ts';

/**
 * Steps of the noise's share of the total variance at which quantiles are tabulated; they are interpolated in between.
 */
const TABLE_STEPS = 16;
/** Nodes of the trapezoidal rule for the normal part; its error is negligible for such an integrand. */
const NODES = Array.from({ length: 49 }, (_, i) => (i - 24) / 4);

/**
 * Returns a function from the variance of the normal part and the scale of the noise to the 99 quantiles about mean 0.
 */
export function noisyQuantiles(df: number): (variance: number, scale: number) => Float64Array {
  const table = Array.from({ length: TABLE_STEPS + 1 }, (_, i) => mixtureQuantiles(i / TABLE_STEPS, df));
  return (variance, scale) => {
    const total = variance + scale * scale;
    const position = (TABLE_STEPS * scale * scale) / total;
    const lowerIndex = Math.min(Math.floor(position), TABLE_STEPS - 1);
    const [lower, upper] = [table[lowerIndex]!, table[lowerIndex + 1]!];
    return lower.map((value, i) => Math.sqrt(total) * (value + (position - lowerIndex) * (upper[i]! - value)));
  };
}

/** Quantiles of √(1 − part) Z + √part T, computed for the upper half, since the distribution is symmetric. */
function mixtureQuantiles(noiseShare: number, df: number): Float64Array {
  const weights = NODES.map((z) => Math.exp((-z * z) / 2));
  const sum = weights.reduce((lower, upper) => lower + upper);
  const [normal, noise] = [Math.sqrt(1 - noiseShare), Math.sqrt(noiseShare)];
  const cdf = (x: number) =>
    NODES.reduce((total, z, i) => total + (weights[i]! / sum) * studentCdf((x - normal * z) / noise, df), 0);
  const upperHalf = QUANTILE_LEVELS.map((share) => {
    if (share <= 0.5) return 0;
    if (noiseShare === 0) return normalQuantile(share);
    let [low, high] = [0, 20];
    for (let i = 0; i < 40; i++) {
      const middle = (low + high) / 2;
      if (cdf(middle) < share) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  });
  return Float64Array.from(QUANTILE_LEVELS, (share, i) =>
    share < 0.5 ? -upperHalf[QUANTILE_LEVELS.length - 1 - i]! : upperHalf[i]!,
  );
}
