import { expect, test } from 'vitest';
import type { CacheKey } from '../../../pipeline/engine/cache-key.ts';
import { explainRun } from '../../../pipeline/engine/explain-run.ts';

const cacheKey = (code: CacheKey['code']): CacheKey => ({
  stage: 'zonal',
  key: '',
  inputs: {},
  code,
  parameters: {},
  runtime: 'node 26.0.0',
  catalog: {},
});

test('files of code and the lock file that changed are named', () => {
  const then = cacheKey({ 'a.ts': '1', 'b.ts': '1', 'c.ts': '1', 'package-lock.json': '1' });
  const now = cacheKey({ 'a.ts': '2', 'b.ts': '1', 'd.ts': '1', 'package-lock.json': '2' });
  expect(explainRun(now, then, { cache: '', rawData: '' })).toEqual([
    'code a.ts changed',
    'code c.ts is no longer read',
    'code d.ts is new',
    'the lock file changed',
  ]);
});
