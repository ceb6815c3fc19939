import { expect, test } from 'vitest';
import { missingDataSentences } from '../../../pipeline/catalog/missing-data.ts';
import { ERRORS, NO_ESTIMATE } from '../../../pipeline/contract/errors.ts';

const CASES = { role: 'cases_states' } as const;
const RAIN = { role: 'climate' } as const;

/** The first words of the lines about season, cases and transmission. */
const limitsOf = (sources: Parameters<typeof missingDataSentences>[0], season: boolean, transmission: boolean) =>
  missingDataSentences(sources, { season, transmission, scores: true })
    .filter((line) => /season|cases|transmission/.test(line))
    .map((line) => line.split(/[:.]/)[0]);

test('limits say why there is no transmission model, whichever data are missing, as its error promises', () => {
  expect(ERRORS.TRANSMISSION_DATA_UNAVAILABLE.detail).toBe(NO_ESTIMATE);
  expect(limitsOf([RAIN, CASES], true, true)).toEqual([]);
  // Records that are too short, or only of the lower level.
  expect(limitsOf([RAIN, CASES], true, false)).toEqual(['No transmission model']);
  expect(limitsOf([RAIN], true, false)).toEqual(['No monthly case records', 'No transmission model']);
  expect(limitsOf([CASES], true, false)).toEqual([
    'The season is estimated from case records alone',
    'No transmission model',
  ]);
  expect(limitsOf([CASES], false, false)).toEqual(['No monthly rain', 'No transmission model']);
});
