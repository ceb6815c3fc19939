import { expect, test } from 'vitest';
import { countryWords, wordingInCountry } from '../../../../pipeline/contract/words.ts';
import {
  describeLimits,
  describeProjections,
  describeStanding,
} from '../../../../pipeline/model/transmission/limits.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';

const errors = {
  model: 1.3,
  same_month_last_year: 1.5,
  same_month_last_three_years: 1.6,
  abeku_raw: 1.3,
  flat: 1.2,
};

test('better and worse results are stated alike, and a tie is not better', () => {
  expect(describeProjections('held-back year 2023', { months: 36, errors })).toBe(
    'A year ahead in the held-back year 2023 its mean error was 1.30 cases per 1,000 over 36 months: better than the same month ' +
      'of the year before (1.50), the mean of the same month over three years (1.60); not better than the seasonal adjustment of ' +
      "Abeku et al. 2002 (1.30), last year's mean for every month (1.20).",
  );
  expect(describeProjections('development years', { months: 0, errors: {} })).toMatch(/^Nothing could be projected/);
});

test('the limits state whether the held-back year was unseen', () => {
  expect(describeStanding({ registered: true, looks: 1 })).toMatch(/registered before.*scored, once/);
  expect(describeStanding({ registered: true, looks: 2 })).toMatch(
    /evaluation 2 on this year.*not that of an unseen year/,
  );
  expect(describeStanding({ registered: false, looks: 2 })).toMatch(/not registered.*other designs had been scored/);
  expect(describeStanding({ registered: false, looks: 0 })).toMatch(
    /not registered before the held-back year was scored\.$/,
  );
});

const figuresOf = (state_code: string, detrended_correlation: number | null) => ({
  state_code,
  detrended_correlation,
  reporting_highest_over_lowest: 2,
  immune_months_tried: 12,
  squares_ratio: 1,
  reproduction_range: {
    low: new Array(12).fill(0.8).with(3, 0.99).with(6, 1.1),
    high: new Array(12).fill(0.9).with(3, 1.05).with(6, 1.2),
  },
});
const limits = (...detrended: (number | null)[]) =>
  describeLimits(
    {
      assumed: { infectious_months: 2, immune_months: 3 },
      states: detrended.map((_, i) => ({
        state_code: `A${i}`,
        state: `State ${i}`,
        fit_correlation: 0.9 + i / 100,
        months_with_infection_growing: [7],
        reproduction_number_by_month: new Array(12).fill(0.9),
        share_of_transmission_year_round: 0.7,
        series: [],
      })),
    },
    'chosen on records that reach the held-back year',
    detrended.map((value, i) => figuresOf(`A${i}`, value)),
    {
      development: { months: 24, errors, seasonal_shape_correlation: 0, shape_correlations: {} },
      held_back: { months: 12, errors, seasonal_shape_correlation: 0, shape_correlations: {} },
    },
    { registered: true, looks: 1 },
  )
    .map((limit) => wordingInCountry(limit, countryWords(TERRITORY)))
    .join('\n');

test('the limits state the basis of the durations, the detrended correlation, and the uncertain months', () => {
  const text = limits(0.55, 0.8);
  expect(text).toMatch(/assumed, not measured \(chosen on records that reach the held-back year\)/);
  expect(text).toMatch(/correlate at 0\.90 to 0\.91, their detrended seasons at 0\.55 to 0\.80/);
  expect(text).toMatch(/State 0 Apr; State 1 Apr/);
});

test('a record with too many gaps for a trend is left out of the detrended correlations', () => {
  expect(limits(null, 0.8)).toMatch(/their detrended seasons at 0\.80\./);
  expect(limits(null)).toMatch(/correlate at 0\.90\. Reporting/);
});
