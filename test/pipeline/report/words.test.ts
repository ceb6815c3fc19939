import { expect, test } from 'vitest';
import {
  isReported,
  listed,
  methodName,
  monthsInWords,
  monthsWithoutSurvey,
} from '../../../pipeline/report/sections/words.ts';

test('months without a survey', () => {
  expect(monthsWithoutSurvey(['2010-10', '2015-11', '2018-08', '2018-09', '2021-12'])).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(monthsWithoutSurvey([])).toEqual([]);
});

test('lists in words', () => {
  expect([listed([]), listed(['a']), listed(['a', 'b']), listed(['a', 'b', 'c'])]).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
  ]);
});

test('months on end are a span', () => {
  expect([monthsInWords([1, 2, 3]), monthsInWords([1, 3]), monthsInWords([1, 2, 12])]).toEqual([
    'January to March',
    'January and March',
    'January, February and December',
  ]);
});

test('every method but the levels that development chose among is shown, by a name', () => {
  const methods = ['model', 'model_and_abeku', 'same_month_last_year', 'flat', 'model_level_of_6_months'];
  const shown = methods.filter(isReported);
  expect(shown).toEqual(methods.slice(0, 4));
  for (const method of shown) expect(methodName(method)).not.toContain('_');
  expect(new Set(shown.map(methodName)).size).toBe(4);
});
