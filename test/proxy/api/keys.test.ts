import { expect, test } from 'vitest';
import { presentedKey } from '../../../proxy/api/keys.ts';

test.each<[string[], string | null]>([
  [[], null],
  [['Authorization', 'Bearer A'], 'A'],
  [['authorization', 'bearer A'], 'A'],
  [['AUTHORIZATION', 'BEARER   A'], 'A'],
  [['X-Api-Key', 'A'], 'A'],
  [['x-api-key', 'A', 'Authorization', 'Bearer A'], 'A'],
  [['x-api-key', 'A', 'Authorization', 'Bearer B'], null],
  [['x-api-key', 'A', 'X-API-KEY', 'A'], 'A'],
  [['x-api-key', 'A', 'X-API-KEY', 'B'], null],
  // Node's own `headers` would drop the second of these.
  [['Authorization', 'Bearer A', 'Authorization', 'Bearer B'], null],
  [['Authorization', 'Bearer'], ''],
  [['Authorization', 'Bearer', 'x-api-key', 'A'], null],
  [['Authorization', 'BearerA'], null],
  [['Authorization', 'Basic QTpC', 'x-api-key', 'A'], 'A'],
  [['Authorization', 'A'], null],
  // A value is no name, whatever it says.
  [['Host', 'x', 'User-Agent', 'x-api-key', 'X-Api-Keys', 'A'], null],
])('%j presents %j', (rawHeaders, key) => {
  expect(presentedKey(rawHeaders)).toBe(key);
});
