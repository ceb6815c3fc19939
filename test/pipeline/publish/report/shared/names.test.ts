import { expect, test } from 'vitest';
import { periodName } from '../../../../../pipeline/publish/report/shared/names.ts';

test('months have names', () => {
  expect(periodName('2024-01')).toBe('January 2024');
});
