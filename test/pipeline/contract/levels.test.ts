import { expect, test } from 'vitest';
import { riskLevel } from '../../../pipeline/contract/levels.ts';

test('a score on a cut-off belongs to the higher level', () => {
  const at = [0, 0.0099, 0.01, 0.0999, 0.1, 0.3499, 0.35, 0.4999, 0.5, 1];
  expect(at.map(riskLevel)).toEqual([
    'very_low',
    'very_low',
    'low',
    'low',
    'moderate',
    'moderate',
    'high',
    'high',
    'very_high',
    'very_high',
  ]);
});
