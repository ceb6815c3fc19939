import { expect, test } from 'vitest';
import { checkCountry } from '../../../../pipeline/intake/check/check-country.ts';
import { stopsBuild } from '../../../../pipeline/intake/check/fault.ts';
import { HAS_REAL_DATA, needsReal, REAL_CATALOG, REAL_DATA } from '../../../support/real-data.ts';

test.skipIf(!HAS_REAL_DATA)(needsReal('the real files match their catalog'), async () => {
  const found = await checkCountry(REAL_CATALOG, REAL_DATA);
  expect(found.filter(stopsBuild)).toEqual([]);
  expect(found.map(({ what }) => what.split(': ', 2)[1])).toEqual([
    'cases do not fit the people',
    'cases do not follow the rain',
  ]);
});
