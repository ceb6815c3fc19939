import { expect, test } from 'vitest';
import { renderValidation } from '../../../../pipeline/publish/report/sections/validation.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';
import type { Grouping } from '../../../../pipeline/validate/truth-groups.ts';
import type { Validation } from '../../../../pipeline/validate/validation.ts';

const score = { lga_months: 400, coverage_50: null, coverage_95: null, bias: 0.01, rmse: 0.06, baseline_rmse: 0.1 };
const row = (by: Grouping, group: string, coverage_90: number) => ({
  truth: 'trend' as const,
  by,
  group,
  ...score,
  coverage_90,
  crps: null,
  interval_score: 0.31,
});
const known_truth = {
  model_code: 'a',
  confirmed_on: [],
  of_this_code: false,
  seeds: [1, 4],
  pooled: [row('all', 'estimated', 0.9), row('block', '2015-2017', 0.857), row('block', '2018-2020', 0.922)],
  countries: [1, 4].map((seed) => ({ seed, ...row('all', 'estimated', 0.777) })),
  calibration: [],
};
const section = (
  validation: Validation | null,
  of_this_code = false,
  confirmed_on: string[] = [],
  { pooled = known_truth.pooled, longitude = null as number | null } = {},
) =>
  renderValidation(
    {
      model: { territory: TERRITORY },
      coverage: { last_estimated: '2023-12', last_forecast: '2024-04' },
      tables: { forecast_skill: [], basis: [], context_states: [] },
    } as never,
    {
      risk: { model: 'spatial' },
      validation,
      known_truth: { ...known_truth, pooled, of_this_code, confirmed_on },
      season_check: [],
      past_forecasts: [],
      fits: null,
      exact_series: [],
      cases: [],
      case_draws: [],
      contrasts: [],
      joint: { nation: [], lga_draws: {} },
      surveys: { clusters: [{ longitude }] as never, area_rounds: [] },
    },
  ).toString();

test('without validation the page says so and shows no figure', () => {
  const text = section(null);
  expect(text).toContain('were not tested on survey cells');
  expect(text).not.toContain('CRPS');
});

test('made-up countries are described in words, by group and by country, with whether they were run with this model', () => {
  const text = section(null);
  for (const part of [
    'on 2 made-up countries',
    'contained 85.7% to 92.2% of the true values',
    '2018-2020',
    'has changed since',
    '0.777',
  ])
    expect(text).toContain(part);
  expect(section(null, true)).not.toContain('has changed since');
  expect(section(null, true, ['trend-1'])).toContain(
    'has changed since; 1 of these countries, computed again, gave the same results',
  );
});

test('made-up countries with other zones are shown by family only', () => {
  const of = (zone: string) =>
    section(null, false, [], { pooled: [...known_truth.pooled, row('zone', zone, 0.9), row('distance', 'near', 0.9)] });
  expect(of('NC')).toMatch(/<div>NC<.*By country/s);
  expect(of('XX')).toContain('Their areas and surveys do not resemble this country’s.');
  expect(of('XX')).not.toMatch(/<div>XX<|By country|<div>near</);
});

test('validation scores are shown with their standard errors', () => {
  const over = (mean: number, standard_error: number | null) => ({ mean, standard_error });
  const measured: Validation = {
    score: 'spatial',
    better: null,
    words: 'neither <model> is better.',
    folds: [{ fold: 1, cells: 655, children_examined: 9000 }],
    block_degrees: 1,
    scores: [
      {
        model: 'spatial',
        survey_year: null,
        cells: 1310,
        log_score: over(-2.4567, 0.0321),
        crps: over(0.1, null),
        mean_absolute_error: over(0.2, 0.01),
        correlation: 0.6,
        coverage: [{ level: 0.9, share: 0.8951 }],
      },
    ],
    difference: { log_score: over(0, 0), crps: over(0, 0), mean_absolute_error: over(0, 0) },
    covariates: [{ covariate: 'height', folds: 5, log_score: over(0.0123, 0.0045), crps: over(-0.001, 0.0002) }],
    pit: [],
    zones: [],
    states: [],
    calibration: [],
  };
  const text = section(measured);
  expect(text).toContain('A cell is what one survey round found in one LGA and month.');
  expect(section(measured, false, [], { longitude: 3 })).toContain('A cell is a survey cluster in one round.');
  for (const part of [
    'neither &lt;model&gt;',
    '-2.457 ± 0.032',
    '>0.1000<',
    '0.2000 ± 0.0100',
    'In 90%',
    '0.895',
    '0.0123 ± 0.0045',
  ])
    expect(text).toContain(part);
});
