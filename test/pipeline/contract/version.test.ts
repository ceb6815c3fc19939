import { expect, test } from 'vitest';
import { buildOpenapi } from '../../../pipeline/contract/openapi.ts';
import { OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { CONTRACT_VERSION } from '../../../pipeline/contract/version.ts';
import { TERRITORY } from '../../../pipeline/synthetic/states.ts';

test('the contract has its own version, separate from the snapshot that contains it', () => {
  expect(CONTRACT_VERSION).toMatch(/^\d+\.\d+\.\d+$/);
  expect(buildOpenapi('tiny-1-00000000', TERRITORY)).toMatchObject({
    info: { version: CONTRACT_VERSION, 'x-model-version': 'tiny-1-00000000' },
  });
});

test('every path starts with the first number of the version', () => {
  const [major] = CONTRACT_VERSION.split('.');
  for (const { path } of OPERATIONS) expect(path).toMatch(new RegExp(`^/v${major}/`));
});
