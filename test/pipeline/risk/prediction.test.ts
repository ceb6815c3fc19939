import { expect, test } from 'vitest';
import { randomStream } from '../../../pipeline/numerics/random.ts';
import { expit } from '../../../pipeline/numerics/special.ts';
import { allocate } from '../../../pipeline/risk/draws.ts';
import { bridge, meanPrevalences } from '../../../pipeline/risk/prediction.ts';

test('the mean over cells by polynomial is the mean by hand, over four logits of shift', () => {
  const random = randomStream(1, 'cells');
  const lasting = Float64Array.from({ length: 40 }, () => 1.5 * random.normal());
  const weights = new Float64Array(40).fill(1 / 40);
  const shifts = Float64Array.from({ length: 30 }, (_, m) => -3 + (4 * m) / 29);
  meanPrevalences(lasting, weights, shifts, (m, p) => {
    const exact = lasting.reduce((sum, v) => sum + expit(v + shifts[m]!) / 40, 0);
    expect(Math.abs(p - exact)).toBeLessThan(2e-5);
  });
});

test('one month, or many alike, are no special case', () => {
  meanPrevalences(Float64Array.of(-1), Float64Array.of(1), Float64Array.of(0.25, 0.25), (_, p) => {
    expect(p).toBeCloseTo(expit(-0.75), 12);
  });
});

test('a bridge passes through its rounds and is widest between them', () => {
  const times = [2010, 2015, 2018];
  const at = bridge(times, 2015, 4);
  expect([at.before, at.before_local, at.after_local, at.sd_local, at.sd_nation]).toEqual([1, 1, 0, 0, 0]);
  const between = bridge(times, 2012.5, 4);
  expect(between.before_local).toBeCloseTo(between.after_local, 12);
  expect(between.before_nation).toBe(0.5);
  expect(between.sd_local).toBeGreaterThan(bridge(times, 2011, 4).sd_local);
});

test('a bridge is the conditional distribution of the process', () => {
  // Ornstein-Uhlenbeck at 2010, 2012, 2015: regression of the middle on its neighbours by normal equations
  const tau = 4;
  const r = (t: number) => Math.exp(-t / tau);
  const [ab, bc, ac] = [r(2), r(3), r(5)];
  const whole = 1 - ac * ac;
  const [before, after] = [(ab - ac * bc) / whole, (bc - ac * ab) / whole];
  const b = bridge([2010, 2015], 2012, tau);
  expect(b.before_local).toBeCloseTo(before, 12);
  expect(b.after_local).toBeCloseTo(after, 12);
  expect(b.sd_local ** 2).toBeCloseTo(1 - before * ab - after * bc, 12);
  expect(b.sd_nation ** 2).toBeCloseTo((2 * 3) / 5, 12);
});

test('beyond the rounds a bridge falls back to the process, ever wider', () => {
  const last = bridge([2010, 2015], 2019, 4);
  expect(last.before_local).toBeCloseTo(Math.exp(-1), 12);
  expect(last.sd_nation).toBe(2);
  expect(last.gap).toBe(2);
  expect(bridge([2010, 2015], 2006, 4).before_local).toBeCloseTo(Math.exp(-1), 12);
  expect(bridge([2010, 2015], 2006, 4).gap).toBe(0);
});

test('draws are shared out by weight, all of them', () => {
  expect(allocate([0.5, 0.25, 0.25], 10)).toEqual([5, 3, 2]);
  expect(allocate([1], 3)).toEqual([3]);
});
