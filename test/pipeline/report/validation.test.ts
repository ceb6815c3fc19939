import { expect, test } from 'vitest';
import type { RiskEvidence } from '../../../pipeline/artifacts.ts';
import { validationSection } from '../../../pipeline/report/sections/validation.ts';

const section = (risk: RiskEvidence) =>
  validationSection({
    risk,
    season_check: [],
    fits: null,
    surveys: { method: 'microscopy', clusters: [], state_rounds: [] },
  }).markup;

test('nothing measured is said, and no figure is shown', () => {
  const text = section({ model: 'baseline' });
  expect(text).toContain('were not put to the test');
  expect(text).not.toContain('<table');
});

test('what was measured is shown with its standard errors', () => {
  const over = (mean: number, standard_error: number | null) => ({ mean, standard_error });
  const text = section({
    model: 'spatial',
    validation: {
      scheme: 'ten <folds>',
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
    },
  });
  for (const part of ['ten &lt;folds&gt;', '-2.457 ± 0.032', '>0.1000<', '0.2000 ± 0.0100', 'In 90%', '0.895'])
    expect(text).toContain(part);
});
