import { expect, test } from 'vitest';
import { randomStream } from '../../../pipeline/lib/numerics/random.ts';
import { drawMaternWaves, drawSurface } from '../../../pipeline/synthetic/noise.ts';

/** Modified Bessel function K1, by its integral ∫ exp(−x cosh t) cosh t dt over t > 0. */
function besselK1(x: number): number {
  const step = 1e-3;
  let sum = Math.exp(-x) / 2;
  for (let t = step; t < 8; t += step) sum += Math.exp(-x * Math.cosh(t)) * Math.cosh(t);
  return sum * step;
}

test.each([0.25, 0.5, 1])(
  'Matérn of smoothness 1: the correlation at a distance d of %d ranges is κd K1(κd), κ = √8 / range',
  (ranges) => {
    const scaled = Math.sqrt(8) * ranges;
    const correlation = scaled * besselK1(scaled);
    const waves = drawMaternWaves(randomStream(4, 'matern'), 40_000, 200);
    for (const [dx, dy] of [
      [200 * ranges, 0],
      [0, 200 * ranges],
      [120 * ranges, 160 * ranges],
    ] as const) {
      // A stationary field's correlation is the mean cosine of its frequencies.
      const cosines = waves.frequency_x.map((x, i) => Math.cos(x * dx + waves.frequency_y[i]! * dy));
      const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
      expect(Math.abs(mean - correlation)).toBeLessThan(4.5 * Math.sqrt(0.5 / cosines.length));
    }
  },
);

test('a surface has mean 0 and variance 1 over draws', () => {
  const values = Array.from({ length: 2000 }, (_, i) => drawSurface(randomStream(i, 'surface'), 100)(7.3, 9.1));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + value * value, 0) / values.length - mean ** 2;
  expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(2000));
  expect(Math.abs(variance - 1)).toBeLessThan(5 * Math.sqrt(2 / 2000));
});
