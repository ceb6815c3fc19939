import { expect, test } from 'vitest';
import { limitHeaders, requestKey } from '../../../proxy/api/admit.ts';

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
  expect(requestKey(headers)).toBe(key);
});

test('the headers contain quota, remainder and reset', () => {
  const minute = { limit: 60, remaining: 59, resetSeconds: 60 };
  expect(limitHeaders({ refusedBy: null, minute, month: null })).toEqual({
    'ratelimit-policy': '"minute";q=60;w=60',
    ratelimit: '"minute";r=59;t=60',
  });
  const month = { limit: 10, remaining: 0, resetSeconds: 7200, windowSeconds: 2_678_400 };
  expect(limitHeaders({ refusedBy: 'month', minute, month })).toEqual({
    'ratelimit-policy': '"minute";q=60;w=60, "month";q=10;w=2678400',
    ratelimit: '"minute";r=59;t=60, "month";r=0;t=7200',
  });
});
