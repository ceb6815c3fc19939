import { expect, test } from 'vitest';
import { limitHeaders } from '../../../proxy/api/report-limits.ts';

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
