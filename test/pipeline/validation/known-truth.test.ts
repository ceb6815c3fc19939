import { expect, test } from 'vitest';
import { parseSeeds } from '../../../pipeline/commands/score-truth.ts';
import { modelFingerprint, readKnownTruth } from '../../../pipeline/validation/known-truth.ts';

test('the committed record is whole: ten countries, both kinds of months, pooled as their parts', () => {
  const record = readKnownTruth();
  expect(record.seeds).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(record.of_this_code).toBe(record.model_code === modelFingerprint());
  for (const whole of record.all) {
    const parts = record.countries.filter(({ kind }) => kind === whole.kind);
    expect(parts.map(({ seed }) => seed)).toEqual(record.seeds);
    const sum = (value: (row: (typeof parts)[number]) => number) => parts.reduce((all, row) => all + value(row), 0);
    expect(sum((row) => row.lga_months)).toBe(whole.lga_months);
    // figures are kept to four decimals
    expect(sum((row) => row.coverage * row.lga_months) / whole.lga_months).toBeCloseTo(whole.coverage, 3);
    expect(Math.sqrt(sum((row) => row.rmse ** 2 * row.lga_months) / whole.lga_months)).toBeCloseTo(whole.rmse, 3);
  }
});

test('seeds are read as lists and ranges, and nothing else', () => {
  expect(parseSeeds('1-3,7')).toEqual([1, 2, 3, 7]);
  for (const text of ['', '3-1', 'a', '1,', '-1', '1-5000']) expect(() => parseSeeds(text)).toThrow('expected seeds');
});
