import { expect, test } from 'vitest';
import {
  digamma,
  expit,
  logGamma,
  logit,
  logSumExp,
  tetragamma,
  trigamma,
} from '../../../../pipeline/lib/numerics/special.ts';

test('ln Γ agrees with values known in closed form', () => {
  expect(logGamma(1)).toBeCloseTo(0, 14);
  expect(logGamma(0.5)).toBeCloseTo(0.5 * Math.log(Math.PI), 14);
  expect(logGamma(11)).toBeCloseTo(Math.log(3628800), 12);
  expect(logGamma(1e-8) + Math.log(1e-8)).toBeCloseTo(-0.5772156649e-8, 14);
  expect(logGamma(171) / 706.5730622457874).toBeCloseTo(1, 13);
});

test('ψ and ψ′ agree with values known in closed form', () => {
  const EULER = 0.5772156649015329;
  expect(digamma(1)).toBeCloseTo(-EULER, 13);
  expect(digamma(0.5)).toBeCloseTo(-EULER - 2 * Math.LN2, 13);
  expect(trigamma(1)).toBeCloseTo(Math.PI ** 2 / 6, 13);
  expect(trigamma(0.5)).toBeCloseTo(Math.PI ** 2 / 2, 12);
});

test('ψ is the derivative of ln Γ, ψ′ that of ψ, ψ″ that of ψ′', () => {
  for (const x of [0.01, 0.7, 3.3, 11.9, 12.1, 400]) {
    const h = 1e-5 * x;
    expect((logGamma(x + h) - logGamma(x - h)) / (2 * h) / digamma(x)).toBeCloseTo(1, 6);
    expect((digamma(x + h) - digamma(x - h)) / (2 * h) / trigamma(x)).toBeCloseTo(1, 6);
    expect((trigamma(x + h) - trigamma(x - h)) / (2 * h) / tetragamma(x)).toBeCloseTo(1, 6);
  }
});

test('expit and logit are inverse to each other, also for extreme values', () => {
  for (const x of [-700, -30, -1, 0, 2, 30]) expect(logit(expit(x))).toBeCloseTo(x, x > 20 ? 1 : 10);
  expect(expit(-800)).toBe(0);
  expect(expit(800)).toBe(1);
});

test('ln Σ exp does not overflow', () => {
  expect(logSumExp([1000, 1000])).toBeCloseTo(1000 + Math.LN2, 12);
  expect(logSumExp([])).toBe(Number.NEGATIVE_INFINITY);
});
