import { expect, test } from 'vitest';
import { responseIndex, weightedMean } from '../../../../pipeline/measure/context/figures.ts';

test('weighted mean by hand: (100·0.2 + 300·0.6) / 400 = 0.5; areas without an estimate are left out', () => {
  const parts = [
    { value: 0.2, weight: 100 },
    { value: 0.6, weight: 300 },
  ];
  expect(weightedMean(parts)).toBeCloseTo(0.5, 14);
  expect(weightedMean([...parts, { value: null, weight: 9999 }])).toBeCloseTo(0.5, 14);
});

test('the mean is null, not 0, if no area has an estimate', () => {
  expect(weightedMean([{ value: null, weight: 5 }])).toBeNull();
  expect(weightedMean([{ value: 0.3, weight: 0 }])).toBeNull();
  expect(weightedMean([])).toBeNull();
  expect(weightedMean([{ value: 0, weight: 5 }])).toBe(0);
});

test('the response index is the mean of net use and treatment, null if either is null', () => {
  expect(responseIndex(0.25, 0.45)).toBeCloseTo(0.35, 14);
  expect(responseIndex(null, 0.45)).toBeNull();
  expect(responseIndex(0.25, null)).toBeNull();
  expect(responseIndex(0, 0)).toBe(0);
});
