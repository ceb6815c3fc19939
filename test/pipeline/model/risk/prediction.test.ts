import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { expit } from '../../../../pipeline/lib/numerics/special.ts';
import { allocateDraws } from '../../../../pipeline/model/risk/draws.ts';
import { CURVE_LENGTH, curvePrevalence, fitCurve } from '../../../../pipeline/model/risk/mean-prevalence.ts';

/** Mean prevalence at each of the shifts, by a curve over their interval. */
function byCurve(lasting: Float64Array, weights: Float64Array, shifts: Float64Array): Float64Array {
  const curve = new Float64Array(CURVE_LENGTH);
  const odds = lasting.map((v) => Math.exp(-v));
  fitCurve(odds, weights, [Math.min(...shifts), Math.max(...shifts)], curve, 0);
  return shifts.map((shift) => curvePrevalence(curve, 0, shift));
}

test('the polynomial approximation of the mean over cells equals the exact mean, over four logits of shift', () => {
  const random = randomStream(1, 'cells');
  const lasting = Float64Array.from({ length: 40 }, () => 1.5 * random.normal());
  const weights = new Float64Array(40).fill(1 / 40);
  const shifts = Float64Array.from({ length: 30 }, (_, m) => -3 + (4 * m) / 29);
  byCurve(lasting, weights, shifts).forEach((p, m) => {
    const exact = lasting.reduce((sum, v) => sum + expit(v + shifts[m]!) / 40, 0);
    expect(Math.abs(p - exact)).toBeLessThan(2e-5);
  });
});

test('a single month and several equal months are handled like any others', () => {
  for (const p of byCurve(Float64Array.of(-1), Float64Array.of(1), Float64Array.of(0.25, 0.25)))
    expect(p).toBeCloseTo(expit(-0.75), 12);
});

test('all draws are allocated, in proportion to the weights', () => {
  expect(allocateDraws([0.5, 0.25, 0.25], 10)).toEqual([5, 3, 2]);
  expect(allocateDraws([1], 3)).toEqual([3]);
});
