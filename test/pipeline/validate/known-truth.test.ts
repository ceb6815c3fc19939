import { expect, test } from 'vitest';
import { FAMILIES } from '../../../pipeline/synthetic/families.ts';
import {
  confirmRecord,
  modelFingerprint,
  readKnownTruth,
  truthRecordText,
} from '../../../pipeline/validate/known-truth.ts';

const record = readKnownTruth();

test("the committed record is complete: every family with the same seeds, and pooled figures consistent with the countries'", () => {
  expect(record.of_this_code).toBe(record.model_code === modelFingerprint());
  for (const truth of FAMILIES) {
    for (const group of ['estimated', 'forecast']) {
      const whole = record.pooled.find((row) => row.truth === truth && row.by === 'all' && row.group === group)!;
      const parts = record.countries.filter((row) => row.truth === truth && row.group === group);
      expect(parts.map(({ seed }) => seed)).toEqual(record.seeds);
      const sum = (value: (row: (typeof parts)[number]) => number) => parts.reduce((all, row) => all + value(row), 0);
      expect(sum((row) => row.lga_months)).toBe(whole.lga_months);
      // figures are stored to four decimals
      expect(sum((row) => row.coverage_90 * row.lga_months) / whole.lga_months).toBeCloseTo(whole.coverage_90, 3);
      expect(Math.sqrt(sum((row) => row.rmse ** 2 * row.lga_months) / whole.lga_months)).toBeCloseTo(whole.rmse, 3);
    }
  }
});

test('groups of each grouping add up to the estimated months', () => {
  for (const truth of FAMILIES) {
    const own = record.pooled.filter((row) => row.truth === truth);
    const estimated = own.find(({ group }) => group === 'estimated')!.lga_months;
    for (const by of ['block', 'year', 'zone', 'distance', 'setting']) {
      const groups = own.filter((row) => row.by === by);
      expect(groups.reduce((sum, { lga_months }) => sum + lga_months, 0)).toBe(estimated);
    }
  }
});

test('the record is written in the form in which it is read', () => {
  const { of_this_code: _, ...written } = record;
  expect(JSON.parse(truthRecordText(record))).toEqual(written);
});

test('countries that score as recorded confirm the record for new code; one that does not is named', () => {
  const { of_this_code: _, ...recorded } = record;
  const again = recorded.countries.filter(({ seed, truth }) => seed === 1 && (truth === 'matern' || truth === 'trend'));
  expect(confirmRecord(recorded, again, 'new')).toEqual({
    ...recorded,
    model_code: 'new',
    confirmed_on: ['matern-1', 'trend-1'],
  });
  const moved = (by: number) => again.map((row, k) => (k === 3 ? { ...row, bias: row.bias + by } : row));
  // a difference that another order of sums may cause
  expect(confirmRecord(recorded, moved(0.0003), 'new').model_code).toBe('new');
  const off = moved(0.001);
  expect(() => confirmRecord(recorded, off, 'new')).toThrow(
    /^trend, seed 1, forecast: found bias .*, expected as recorded: bias/,
  );
  const unknown = again.map((row) => ({ ...row, seed: 99 }));
  expect(() => confirmRecord(recorded, unknown, 'new')).toThrow('matern, seed 99, estimated: found bias');
});
