import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  describeSeason,
  monthsApart,
  seasonMidpoint,
  seasonRun,
} from '../../../../pipeline/model/season/high-season.ts';

/** Start, end and number of months of the high season (season/MODEL.md, section 6). */
const run = (values: number[]) => {
  const { season_start_month, season_end_month, season_months } = describeSeason(values, 0.5);
  return [season_start_month, season_end_month, season_months];
};

test('a simple rainy season gives shares of the peak and the months at half of it or more', () => {
  const season = describeSeason([1, 1, 1, 1, 2, 5, 8, 10, 9, 6, 2, 1], 0.5);
  expect(season).toEqual({
    peak_month: 8,
    season_start_month: 6,
    season_end_month: 10,
    season_months: 5,
    high_months: [6, 7, 8, 9, 10],
    seasonal_index: [0.1, 0.1, 0.1, 0.1, 0.2, 0.5, 0.8, 1, 0.9, 0.6, 0.2, 0.1],
  });
});

test('a single lower month is bridged and counts in the season, but not as a high month; two lower months end it', () => {
  const bridged = describeSeason([1, 1, 1, 6, 8, 4, 10, 9, 4, 4, 7, 1], 0.5);
  expect(bridged.high_months).toEqual([4, 5, 7, 8, 11]);
  expect([bridged.season_start_month, bridged.season_end_month, bridged.season_months]).toEqual([4, 8, 5]);
  // every isolated lower month is bridged, not only the first
  expect(run([1, 1, 6, 4, 6, 4, 10, 4, 6, 1, 1, 1])).toEqual([3, 9, 7]);
  // a lower month without a high one beyond it is not included
  expect(run([1, 1, 1, 1, 1, 4, 10, 4, 1, 1, 1, 1])).toEqual([7, 7, 1]);
});

test('the season continues across the end of the year, also across a bridged month', () => {
  expect(run([10, 8, 6, 1, 1, 1, 1, 1, 1, 1, 6, 9])).toEqual([11, 3, 5]);
  expect(run([4, 10, 6, 1, 1, 1, 1, 1, 1, 1, 1, 6])).toEqual([12, 3, 4]);
});

test('high months separate from the peak are listed but are not part of the season', () => {
  const season = describeSeason([1, 7, 7, 1, 1, 1, 10, 9, 1, 1, 1, 1], 0.5);
  expect(season.high_months).toEqual([2, 3, 7, 8]);
  expect(season.season_months).toBe(2);
});

test('if no two lower months are adjacent, the season is 1, 12, 12', () => {
  expect(run(new Array(12).fill(3))).toEqual([1, 12, 12]);
  expect(run([6, 6, 6, 6, 6, 6, 10, 6, 6, 6, 6, 6])).toEqual([1, 12, 12]);
  expect(run([4, 6, 4, 6, 4, 6, 10, 6, 4, 6, 4, 6])).toEqual([1, 12, 12]);
  // December and January are adjacent.
  expect(run([4, 6, 6, 6, 6, 6, 10, 6, 6, 6, 6, 4])).toEqual([2, 11, 10]);
});

test('a flat year peaks in January and is high in all months; of equal peaks the earliest counts', () => {
  const flat = describeSeason(new Array(12).fill(7), 0.5);
  expect(flat.peak_month).toBe(1);
  expect(flat.high_months).toHaveLength(12);
  expect(describeSeason([1, 1, 9, 1, 1, 1, 9, 9, 1, 1, 1, 1], 0.5)).toMatchObject({ peak_month: 3, season_months: 1 });
});

test('eleven high months and one lower one are an all-year season; the lower one is not listed', () => {
  const season = describeSeason([10, 9, 8, 7, 6, 4, 6, 7, 8, 9, 10, 10], 0.5);
  expect([season.season_start_month, season.season_end_month, season.season_months]).toEqual([1, 12, 12]);
  expect(season.high_months).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]);
  expect(season.peak_month).toBe(1);
});

test('with peaks of equal height the season is that of the earlier one, even if the later one has a longer run or wraps round', () => {
  expect(run([1, 1, 10, 1, 1, 1, 1, 10, 9, 8, 1, 1])).toEqual([3, 3, 1]);
  expect(run([10, 6, 1, 1, 1, 1, 1, 1, 1, 1, 6, 10])).toEqual([11, 2, 4]);
  expect(describeSeason([10, 6, 1, 1, 1, 1, 1, 1, 1, 1, 6, 10], 0.5).peak_month).toBe(1);
});

test('a bridge over the year end: December lower between November and January', () => {
  expect(run([9, 6, 1, 1, 1, 1, 1, 1, 1, 6, 10, 4])).toEqual([10, 2, 5]);
});

test('the rules apply to the rounded index', () => {
  // 0.49996 rounds to 0.5 and is high, 0.49994 does not; 0.99996 rounds to 1 and, being earlier, is the peak
  const season = describeSeason([0, 0, 0, 0.49994, 0.99996, 1, 0.49996, 0, 0, 0, 0, 0], 0.5);
  expect(season.seasonal_index.slice(3, 7)).toEqual([0.4999, 1, 1, 0.5]);
  expect(season.high_months).toEqual([5, 6, 7]);
  expect(season.peak_month).toBe(5);
});

test('a year without cases, a missing month and a negative value are rejected', () => {
  expect(() => describeSeason(new Array(12).fill(0), 0.5)).toThrow(/twelve values/);
  expect(() => describeSeason([1, 2, 3], 0.5)).toThrow(/twelve values/);
  expect(() => describeSeason([-1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 0.5)).toThrow(/twelve values/);
});

test('for any twelve levels, the run contains the peak, ends on high months, and is bounded by two lower months', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), fc.nat(11), (levels, peak) => {
      const high = levels.map((value, month) => value || month === peak);
      const { first, months } = seasonRun(high, peak);
      const at = (month: number) => high[((month % 12) + 12) % 12]!;
      if (months === 12 && first === 0) return high.every((value, month) => value || (at(month - 1) && at(month + 1)));
      const held = (((peak - first) % 12) + 12) % 12;
      const inside = Array.from({ length: months }, (_, i) => first + i);
      return (
        held < months &&
        at(first) &&
        at(first + months - 1) &&
        ![at(first - 1), at(first - 2)].some(Boolean) &&
        ![at(first + months), at(first + months + 1)].some(Boolean) &&
        inside.every((month) => at(month) || (at(month - 1) && at(month + 1)))
      );
    }),
  );
});

test('midpoint at half height between the lowest and the highest month, round the year', () => {
  // half height of 6-10 is 8: June to August, midpoint July (6, counting January as 0)
  expect(seasonMidpoint([6, 6, 6, 6, 6, 8, 10, 9, 6, 6, 6, 6])).toBe(6);
  // a month below half height does not count: 7.5 is below 8
  expect(seasonMidpoint([6, 6, 6, 6, 7.5, 8, 10, 9, 6, 6, 6, 6])).toBe(6);
  expect(seasonMidpoint([10, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 9])).toBe(11.5);
  expect(monthsApart(11.5, 0.5)).toBe(1);
  expect(monthsApart(0, 6)).toBe(6);
  expect(monthsApart(10, 2)).toBe(4);
});
