import { expect, test } from 'vitest';
import { openLog } from '../../../proxy/server/log.ts';

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
