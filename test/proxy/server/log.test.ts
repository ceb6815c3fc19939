import { expect, onTestFinished, test, vi } from 'vitest';
import type { AccessRecord } from '../../../proxy/api/observe.ts';
import { limitKeylessLines, openLog } from '../../../proxy/server/log.ts';

test('lines are JSON with their time; lines for a reader that hangs are lost and counted', () => {
  const written: string[] = [];
  const output = { writableLength: 0, write: (text: string) => written.push(text) };
  let losses = 0;
  const log = openLog(output, () => losses++);
  log.info({ n: 1 });
  output.writableLength = 1 << 30;
  log.info({ n: 2 });
  log.info({ n: 3 });
  output.writableLength = 1000;
  log.info('four');
  expect(losses).toBe(2);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(written.map((text) => JSON.parse(text))).toEqual([
    { level: 'info', time, n: 1 },
    { level: 'info', time, message: 'four' },
  ]);
  expect(written[0]).toMatch(/^\{"level":.*\}\n$/);
});

test('of a flood without valid keys a few lines a minute are logged and the others counted; all else is logged', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const [written, reported]: [AccessRecord[], string[]] = [[], []];
  const log = limitKeylessLines(
    (record) => written.push(record),
    (line) => reported.push(line),
  );
  const record = { request_id: 'x', operation: 'none', error: null, key_kind: 'none', ms: 1 } as const;
  for (let i = 0; i < 10_000; i++) log({ ...record, status: 401, key_id: null });
  log({ ...record, status: 200, key_id: 'key_1' });
  log({ ...record, status: 503, key_id: null });
  expect(written.map(({ status }) => status)).toEqual([...Array(100).fill(401), 200, 503]);
  vi.advanceTimersByTime(60_000);
  expect(reported).toEqual(['access log: 9900 more requests without a valid key in the last minute']);
  log({ ...record, status: 401, key_id: null });
  expect(written).toHaveLength(103);
  vi.advanceTimersByTime(60_000);
  expect(reported).toHaveLength(1);
});
