import { expect, test } from 'vitest';
import type { Validation } from '../../../../pipeline/artifacts.ts';
import { validationSection } from '../../../../pipeline/publish/report/sections/validation.ts';

const rows = [
  { kind: 'estimated' as const, lga_months: 400, coverage: 0.915, rmse: 0.06, baseline_rmse: 0.1 },
  { kind: 'forecast' as const, lga_months: 40, coverage: 0.87, rmse: 0.09, baseline_rmse: 0.09 },
];
const known_truth = {
  ...{ model_code: 'a', of_this_code: false, seeds: [1, 4], all: rows },
  countries: rows.map((row) => ({ seed: 4, ...row, coverage: 0.777 })),
};
const section = (validation: Validation | null, of_this_code = false) =>
  validationSection({
    risk: { model: 'spatial' },
    validation,
    known_truth: { ...known_truth, of_this_code },
    season_check: [],
    fits: null,
    surveys: { clusters: [], state_rounds: [] },
  }).markup;

test('nothing measured is said, and no figure is shown', () => {
  const text = section(null);
  expect(text).toContain('were not put to the test');
  expect(text).not.toContain('CRPS');
});

test('made-up countries are told in words and by country, and whether they were run with this model', () => {
  const text = section(null);
  for (const part of [
    'on 2 made-up countries',
    'held 91.5% of the true values in estimated months and 87.0% in forecast',
    '0.60 times the baseline’s in estimated and 1.00 times in forecast',
    'has changed since',
    '0.777',
  ])
    expect(text).toContain(part);
  expect(section(null, true)).not.toContain('has changed since');
});

test('what was measured is shown with its standard errors', () => {
  const over = (mean: number, standard_error: number | null) => ({ mean, standard_error });
  const text = section({
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
    pit: [],
    calibration: [],
  });
  for (const part of ['neither &lt;model&gt;', '-2.457 ± 0.032', '>0.1000<', '0.2000 ± 0.0100', 'In 90%', '0.895'])
    expect(text).toContain(part);
});
