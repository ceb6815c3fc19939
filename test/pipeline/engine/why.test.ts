import { expect, test } from 'vitest';
import { type CacheKey, keyOf } from '../../../pipeline/engine/cache-key.ts';
import { causesOf } from '../../../pipeline/engine/why.ts';

const WHERE = { cache: '', rawData: '' };
const cacheKey = (packages: Record<string, string>): CacheKey => ({
  stage: 'zonal',
  key: '',
  inputs: {},
  code: { 'a.ts': '1' },
  packages,
  parameters: {},
  runtime: 'node 26.0.0',
  catalog: {},
});

test('packages that changed, are new or are no longer imported are named', () => {
  const then = cacheKey({ geotiff: '3.0.5 aa', mapshaper: '0.7.0 bb', d3: '7.9.2 cc', pg: '8.0.0 dd' });
  const now = cacheKey({ geotiff: '3.0.6 ab', mapshaper: '0.7.0 bc', ajv: '8.0.0 ee', pg: '8.0.0 dd' });
  expect(causesOf(now, then, WHERE)).toEqual([
    'package ajv is new',
    'package d3 is no longer imported',
    'package geotiff was 3.0.5, is 3.0.6',
    'package mapshaper 0.7.0: something that it depends on changed',
  ]);
});

test('a key from an earlier version of this program, which recorded no packages, can be compared', () => {
  const { packages: _, ...earlier } = cacheKey({});
  expect(causesOf(cacheKey({ d3: '7.9.2 cc' }), earlier as CacheKey, WHERE)).toEqual(['package d3 is new']);
});

test('keys of snapshots from when the entire lock file counted can still be computed', () => {
  const { stage, inputs, code, parameters, runtime } = cacheKey({});
  // As that version computed it.
  const key = '6c0c3420f4b8dc0631aa0c805ac73fe016c2a77f446f8d27a75c1dd4dcefcd5a';
  expect(keyOf({ stage, inputs, code, parameters, runtime, lock: 'f'.repeat(64) })).toBe(key);
});
