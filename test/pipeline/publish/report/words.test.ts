import { expect, test } from 'vitest';
import {
  describeRiskLimits,
  isReported,
  methodName,
  monthsInWords,
  monthsWithoutSurvey,
} from '../../../../pipeline/publish/report/sections/risk-limits.ts';
import { joinInSentence } from '../../../../pipeline/publish/report/shared/names.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';

test('months without a survey', () => {
  expect(monthsWithoutSurvey(['2010-10', '2015-11', '2018-08', '2018-09', '2021-12'])).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(monthsWithoutSurvey([])).toEqual([]);
});

test('limits: months without a survey, rounds known only by state and their weight, the forecast', () => {
  const limits = (years: number[]) =>
    describeRiskLimits(
      {
        coverage: { last_estimated: '2023-12' },
        model: {
          territory: TERRITORY,
          parameters: {
            context: { note: 'A note.' },
            survey: { method: 'microscopy' },
            evidence: { scores: { clusters: 1, areas: 1, children: 1, reason: 'a test' } },
            risk: { state_only_effective_size: 85 },
          },
        },
        tables: { context_lgas: [], season: [{}] },
        sources: [{ role: 'climate' }],
      } as unknown as Parameters<typeof describeRiskLimits>[0],
      {
        risk: { model: 'spatial' },
        surveys: {
          clusters: ['2018-08', '2018-12'].map((period) => ({ period, examined: 20 })),
          area_rounds: years.flatMap((survey_year) => [{ survey_year }, { survey_year }]),
        },
      } as unknown as Parameters<typeof describeRiskLimits>[1],
    ).join('\n');
  expect(limits([])).toContain('No survey was taken in January, February,');
  expect(limits([])).not.toContain('known only by state');
  expect(limits([2021])).toContain(
    'Round 2021 is known only by state, without the number of children tested: each state’s result is assumed to count as much as a sample of 85 children.',
  );
  expect(limits([2021, 2015])).toContain('Rounds 2015 and 2021 are known only by state');
  expect(limits([])).toMatch(
    /Months after December 2023 are forecasts: .* take the rain of the actual year into account/,
  );
});

test('lists in words', () => {
  expect([
    joinInSentence([]),
    joinInSentence(['a']),
    joinInSentence(['a', 'b']),
    joinInSentence(['a', 'b', 'c']),
  ]).toEqual(['', 'a', 'a and b', 'a, b and c']);
});

test('consecutive months are written as a span', () => {
  expect([monthsInWords([1, 2, 3]), monthsInWords([1, 3]), monthsInWords([1, 2, 12])]).toEqual([
    'January to March',
    'January and March',
    'January, February and December',
  ]);
});

test('every method is shown by a name, except the variants among which development chose', () => {
  const methods = ['model', 'model_and_abeku', 'same_month_last_year', 'flat', 'model_level_of_6_months'];
  const shown = methods.filter(isReported);
  expect(shown).toEqual(methods.slice(0, 4));
  for (const method of shown) expect(methodName(method)).not.toContain('_');
  expect(new Set(shown.map(methodName)).size).toBe(4);
});
