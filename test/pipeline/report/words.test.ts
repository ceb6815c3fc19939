import { expect, test } from 'vitest';
import { listed, monthsWithoutSurvey } from '../../../pipeline/report/sections/words.ts';

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
