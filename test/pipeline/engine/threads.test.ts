import { expect, test } from 'vitest';
import { mapInThreads } from '../../../pipeline/engine/threads.ts';

const moduleOf = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from 'node:worker_threads';${code}`)}`,
  );

test('results are in the order of tasks, whichever ends first; each thread gets the data and several tasks', async () => {
  const slowFirst = moduleOf(
    "parentPort.on('message', (task) => setTimeout(() => parentPort.postMessage(task * workerData), task === 1 ? 200 : 0))",
  );
  expect(await mapInThreads<number, number>(slowFirst, 10, [1, 2, 3, 4, 5])).toEqual([10, 20, 30, 40, 50]);
  expect(await mapInThreads(slowFirst, 10, [])).toEqual([]);
});

test('an error in a thread is thrown, and a thread that ends without an answer is an error', async () => {
  const throws = moduleOf("parentPort.on('message', () => { throw new RangeError('found 3'); })");
  await expect(mapInThreads(throws, null, [3])).rejects.toThrow('found 3');
  await expect(mapInThreads(moduleOf(''), null, [1, 2])).rejects.toThrow('ended without a result');
});
