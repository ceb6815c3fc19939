import { expect, test } from 'vitest';
import { buildOpenapi } from '../../../pipeline/contract/openapi.ts';
import { ALL_OPERATIONS, OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { CONTRACT_VERSION } from '../../../pipeline/contract/version.ts';
import { sha256 } from '../../../pipeline/lib/hash.ts';
import { TABLES } from '../../../pipeline/publish/snapshot/table-columns.ts';
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

test('a change of an answer or a table comes with another version of the contract', () => {
  const answers = ALL_OPERATIONS.map(({ path, parameters, scopes, response }) => [path, parameters, scopes, response]);
  // `verify` takes snapshots of equal versions to have the same answers and tables.
  const now = { version: CONTRACT_VERSION, hash: sha256(JSON.stringify([answers, TABLES])).slice(0, 16) };
  expect(now, 'the contract changed: raise CONTRACT_VERSION (contract/version.ts), then this hash').toEqual({
    version: '1.18.0',
    hash: 'c9ee9587c71eaaa1',
  });
});
