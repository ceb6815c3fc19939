import { expect, test } from 'vitest';
import { mapInThreads } from '../../../pipeline/engine/threads.ts';

const moduleOf = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from 'node:worker_threads';${code}`)}`,
  );

test('results come in the order of tasks, whichever ends first', async () => {
  const slowFirst = moduleOf('setTimeout(() => parentPort.postMessage(workerData * 10), workerData === 1 ? 200 : 0)');
  expect(await mapInThreads<number, number>(slowFirst, [1, 2, 3, 4])).toEqual([10, 20, 30, 40]);
  expect(await mapInThreads(slowFirst, [])).toEqual([]);
});

test('what a thread throws is thrown, and one that says nothing is an error', async () => {
  await expect(mapInThreads(moduleOf("throw new RangeError('found 3')"), [1, 2])).rejects.toThrow('found 3');
  await expect(mapInThreads(moduleOf(''), [1])).rejects.toThrow('ended without a result');
});
