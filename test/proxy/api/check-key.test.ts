import { expect, test } from 'vitest';
import { presentedKey } from '../../../proxy/api/check-key.ts';

test.each<[NodeJS.Dict<string[]>, string | null]>([
  [{}, null],
  [{ authorization: ['Bearer A'] }, 'A'],
  [{ authorization: ['bearer A'] }, 'A'],
  [{ authorization: ['BEARER   A'] }, 'A'],
  [{ 'x-api-key': ['A'] }, 'A'],
  [{ 'x-api-key': ['A'], authorization: ['Bearer A'] }, 'A'],
  [{ 'x-api-key': ['A'], authorization: ['Bearer B'] }, null],
  [{ 'x-api-key': ['A', 'A'] }, 'A'],
  [{ 'x-api-key': ['A', 'B'] }, null],
  [{ authorization: ['Bearer A', 'Bearer B'] }, null],
  [{ authorization: ['Bearer'] }, ''],
  [{ authorization: ['Bearer'], 'x-api-key': ['A'] }, null],
  [{ authorization: ['BearerA'] }, null],
  [{ authorization: ['Basic QTpC'], 'x-api-key': ['A'] }, 'A'],
  [{ authorization: ['A'] }, null],
  [{ 'user-agent': ['x-api-key'], 'x-api-keys': ['A'] }, null],
])('%j presents %j', (headers, key) => {
  expect(presentedKey(headers)).toBe(key);
});
