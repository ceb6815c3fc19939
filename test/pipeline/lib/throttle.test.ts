import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throttled } from '../../../pipeline/lib/throttle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('in a flood one line a second is reported, with the number of omitted lines', () => {
  const lines: string[] = [];
  const report = throttled((line) => lines.push(line), 1000);
  for (let i = 0; i < 2000; i++) {
    report(`line ${i}`);
    vi.advanceTimersByTime(1);
  }
  expect(lines.filter((line) => line.startsWith('line'))).toEqual(['line 0', 'line 1000']);
  vi.advanceTimersByTime(1000);
  expect(lines.filter((line) => line.startsWith('999 more'))).toHaveLength(2);
  expect(lines).toHaveLength(4);
});
