import { expect, test } from 'vitest';
import { comparedOf, surveyReference } from '../../../pipeline/risk/compared.ts';

const ENDS = ['2015-11', '2018-12', '2021-12'];

test('the last survey before a month stands in the month of its name that is no later than three months past fieldwork', () => {
  expect(surveyReference('2023-12', ENDS)).toBe('2021-12');
  expect(surveyReference('2022-01', ENDS)).toBe('2021-01');
  expect(surveyReference('2024-03', ENDS)).toBe('2022-03');
  expect(surveyReference('2024-04', ENDS)).toBe('2021-04');
  expect(surveyReference('2023-03', ENDS)).toBe('2022-03');
  // fieldwork that is not over is no survey before
  expect(surveyReference('2018-10', ENDS)).toBe('2015-10');
  expect(surveyReference('2018-12', ENDS)).toBe('2015-12');
  expect(surveyReference('2019-01', ENDS)).toBe('2018-01');
  expect(surveyReference('2015-11', ENDS)).toBe(null);
});

test('what lies before the first month cannot be compared with', () => {
  const periods = ['2015-01', '2015-12', '2016-01', '2016-12'];
  expect(periods.map((period) => comparedOf(period, periods, ENDS))).toEqual([
    { year: null, survey: null },
    { year: null, survey: null },
    { year: 0, survey: 0 },
    { year: 1, survey: 1 },
  ]);
});
