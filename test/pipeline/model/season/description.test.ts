import { expect, test } from 'vitest';
import { countryWords, wordingInCountry } from '../../../../pipeline/contract/words.ts';
import { compareSeasons } from '../../../../pipeline/model/season/check.ts';
import { describeMethod } from '../../../../pipeline/model/season/description.ts';
import type { SeasonFigures } from '../../../../pipeline/model/season/season-tables.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';

const RAIN = { half_saturation_mm: 73.4, lag_months: 2.44, dry_reproduction_number: 2.5, share_year_round: 0.604 };
const ASSUMED = {
  durations: { infectious_months: 2, immune_months: 3 },
  assumed_from: 'assumed for a test',
  highShare: 0.5,
};
/** A year with its peak in January and `low` in as many months. */
const year = (low: number, months: number, other = 0.8) => [
  1,
  ...new Array(months).fill(low),
  ...new Array(11 - months).fill(other),
];
const described = (...given: Parameters<typeof describeMethod>) =>
  wordingInCountry(describeMethod(...given), countryWords(TERRITORY));
const row = (state_code: string, expected: number[], recorded: number[]) => ({
  state_code,
  ...compareSeasons(expected, recorded, 0.5),
  lgas: [] as SeasonFigures[],
});

test('without records the description states the method, and that it has not been checked', () => {
  const text = described(RAIN, [], ASSUMED);
  expect(text).toMatch(/infectious for 2, immune for 3 months, assumed for a test/);
  expect(text).toMatch(/by 2\.4 months.*at 73 mm a month, and 60% of its peak does not depend on rain/);
  expect(text).toMatch(/have not been checked here/);
  expect(text).not.toMatch(/NaN|Infinity/);
});

test('the description explains twelve high months, and counts low months identified, missed and wrongly predicted', () => {
  const text = described(
    RAIN,
    [
      row('AA', year(0.6, 3), year(0.7, 3)), // flat, and expected so
      row('BB', year(0.6, 3), year(0.4, 3)), // three low months missed
      row('CC', year(0.45, 4), year(0.4, 2)), // two identified, two others wrongly low
    ],
    ASSUMED,
  );
  expect(text).toMatch(
    /In 1 of the 3 records no month falls below it; the lowest months of the records are at 0\.40 to 0\.70 of the peak/,
  );
  expect(text).toMatch(
    /Of 36 left-out months, 5 were recorded below 0\.5: the index identified 2 of them, and put 2 others below it/,
  );
  // squared errors: 3 × 0.1², 3 × 0.2², 2 × 0.05² and 2 × 0.35², over 36 months
  const error = Math.sqrt((3 * 0.01 + 3 * 0.04 + 2 * 0.0025 + 2 * 0.1225) / 36);
  expect(text).toContain(`Its error is ${error.toFixed(2)} of the peak`);
});

test('the check of LGAs is described if some have records', () => {
  const state = row('AA', year(0.6, 3), year(0.7, 3));
  expect(described(RAIN, [state], ASSUMED)).not.toMatch(/LGAs/);
  const lga = (correlation: number, peak_off: number, midpoint_off: number) => ({
    correlation,
    peak_off,
    midpoint_off,
    wrong_months: 0,
  });
  const states = [
    { ...state, lgas: [lga(0.2, 1, 0.5), lga(0.7, 2, 1)] },
    { ...state, lgas: [lga(0.9, 3, 3)] },
  ];
  expect(described(RAIN, states, ASSUMED)).toMatch(
    /over 3 LGAs of left-out states, the median correlation is 0\.70, and on average the peak is 2\.0 and the high season's midpoint 1\.5 months off/,
  );
});
