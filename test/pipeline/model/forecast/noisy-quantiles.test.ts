import { expect, test } from 'vitest';
import { drawGamma } from '../../../../pipeline/lib/numerics/distributions.ts';
import { normalQuantile } from '../../../../pipeline/lib/numerics/normal.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { selectQuantiles } from '../../../../pipeline/lib/numerics/selection.ts';
import { studentQuantile } from '../../../../pipeline/lib/numerics/student-t.ts';
import { percentIndex, QUANTILE_LEVELS } from '../../../../pipeline/model/forecast/forecast-scores.ts';
import { noisyQuantiles } from '../../../../pipeline/model/forecast/noisy-quantiles.ts';

const DF = 5;
const of = noisyQuantiles(DF);

test('quantiles without noise are normal, and those of pure noise Student t', () => {
  const [normal, noise] = [of(4, 0), of(0, 3)];
  for (const [i, share] of QUANTILE_LEVELS.entries()) {
    expect(normal[i]).toBeCloseTo(2 * normalQuantile(share), 9);
    expect(noise[i]).toBeCloseTo(3 * studentQuantile(share, DF), 9);
  }
});

test('quantiles of a mixture agree with random draws', () => {
  const random = randomStream(1, 'noisy quantiles');
  for (const [variance, scale] of [
    [0.04, 0.1],
    [0.01, 0.13],
    [0.05, 0.3],
  ] as const) {
    const draws = Float64Array.from({ length: 200_000 }, () => {
      const t = random.normal() / Math.sqrt(drawGamma(random, DF / 2) / (DF / 2));
      return Math.sqrt(variance) * random.normal() + scale * t;
    });
    const sd = Math.sqrt(variance + scale ** 2);
    const found = selectQuantiles(draws, [0.02, 0.05, 0.25, 0.5, 0.75, 0.95, 0.98]);
    const expected = [2, 5, 25, 50, 75, 95, 98].map((percent) => of(variance, scale)[percentIndex(percent)]!);
    for (const [i, value] of found.entries()) expect(Math.abs(value - expected[i]!) / sd).toBeLessThan(0.025);
  }
});
