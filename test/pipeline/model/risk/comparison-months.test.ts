import { expect, test } from 'vitest';
import { comparisonPositions, surveyReferenceMonth } from '../../../../pipeline/model/risk/comparison-months.ts';

const ENDS = ['2015-11', '2018-12', '2021-12'];

test('the reference for the last survey is the latest month of the same name at most three months after fieldwork', () => {
  expect(surveyReferenceMonth('2023-12', ENDS)).toBe('2021-12');
  expect(surveyReferenceMonth('2022-01', ENDS)).toBe('2021-01');
  expect(surveyReferenceMonth('2024-03', ENDS)).toBe('2022-03');
  expect(surveyReferenceMonth('2024-04', ENDS)).toBe('2021-04');
  expect(surveyReferenceMonth('2023-03', ENDS)).toBe('2022-03');
  // a survey whose fieldwork is not over does not count
  expect(surveyReferenceMonth('2018-10', ENDS)).toBe('2015-10');
  expect(surveyReferenceMonth('2018-12', ENDS)).toBe('2015-12');
  expect(surveyReferenceMonth('2019-01', ENDS)).toBe('2018-01');
  expect(surveyReferenceMonth('2015-11', ENDS)).toBe(null);
});

test('months before the first one are not available for comparison', () => {
  const periods = ['2015-01', '2015-12', '2016-01', '2016-12'];
  expect(periods.map((period) => comparisonPositions(period, periods, ENDS))).toEqual([
    { year: null, survey: null },
    { year: null, survey: null },
    { year: 0, survey: 0 },
    { year: 1, survey: 1 },
  ]);
});
