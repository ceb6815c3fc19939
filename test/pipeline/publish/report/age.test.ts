import { expect, test } from 'vitest';
import { describeAge } from '../../../../pipeline/publish/report/page/describe-age.ts';

const periods = ['2023-11', '2023-12', '2024-01', '2024-02', '2024-03', '2024-04'];
const on = (year: number, month: number) => describeAge(periods, 2, new Date(year, month - 1, 15));

test('the age of a report is counted from the day on which it is read', () => {
  expect(on(2023, 12)).toBe('');
  expect(on(2024, 1)).toBe('The last estimated month, December 2023, was a month ago.');
  expect(on(2024, 4)).toBe('The last estimated month, December 2023, was 4 months ago.');
  expect(on(2026, 11)).toBe(
    'The last estimated month, December 2023, was 35 months ago. All the months that this page forecasts have passed.',
  );
});
