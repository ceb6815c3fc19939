import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addMonths,
  calendarMonth,
  calendarYear,
  isPeriod,
  monthFromIndex,
  monthIndex,
  periodRange,
} from '../../../pipeline/contract/months.ts';

test.each(['2023-01', '2023-12', '0000-01', '9999-12'])('%s is a month', (text) => {
  expect(isPeriod(text)).toBe(true);
  expect(monthFromIndex(monthIndex(text))).toBe(text);
});

test.each([
  '',
  '2023',
  '2023-1',
  '2023-00',
  '2023-13',
  '2023-1a',
  ' 2023-01',
  '2023-01\n',
  '２０２３-01',
  '12023-01',
  '2023/01',
  '-023-01',
])('%j is not a month', (text) => {
  expect(isPeriod(text)).toBe(false);
  expect(() => monthIndex(text)).toThrow(RangeError);
});

test('months and years carry over at the end of a year', () => {
  expect(addMonths('2023-12', 1)).toBe('2024-01');
  expect(addMonths('2024-01', -1)).toBe('2023-12');
  expect(addMonths('2023-09', 4)).toBe('2024-01');
  expect([
    calendarMonth('2023-12'),
    calendarYear('2023-12'),
    calendarMonth('2024-01'),
    calendarYear('2024-01'),
  ]).toEqual([12, 2023, 1, 2024]);
});

test('subtracting undoes adding, and months sort by index as by text', () => {
  const index = fc.integer({ min: 12, max: 9998 * 12 });
  fc.assert(
    fc.property(index, index, (a, b) => {
      expect(addMonths(addMonths(monthFromIndex(a), 11), -11)).toBe(monthFromIndex(a));
      expect(Math.sign(a - b)).toBe(
        monthFromIndex(a) < monthFromIndex(b) ? -1 : monthFromIndex(a) > monthFromIndex(b) ? 1 : 0,
      );
    }),
  );
});

test('ranges include both ends', () => {
  expect(periodRange('2023-11', '2024-02')).toEqual(['2023-11', '2023-12', '2024-01', '2024-02']);
  expect(periodRange('2023-11', '2023-11')).toEqual(['2023-11']);
  expect(periodRange('2023-11', '2023-10')).toEqual([]);
  expect(periodRange('2015-01', '2023-12')).toHaveLength(108);
});
