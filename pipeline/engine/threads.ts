import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/**
 * Does `tasks` in threads of their own, as many at once as there are cores. `module` is told a task as its `workerData`
 * and posts one message, the result. The order in which threads end has no influence on the results' order.
 * @throws what the first failing thread threw; the others are stopped
 */
export async function mapInThreads<Task, Result>(module: URL, tasks: readonly Task[]): Promise<Result[]> {
  const results: Result[] = new Array(tasks.length);
  const workers = new Set<Worker>();
  let next = 0;
  const work = async () => {
    while (next < tasks.length) {
      const at = next++;
      results[at] = await new Promise<Result>((resolve, reject) => {
        const worker = new Worker(module, { workerData: tasks[at] });
        workers.add(worker);
        worker.on('message', resolve);
        worker.on('error', reject);
        worker.on('exit', () => {
          workers.delete(worker);
          reject(new Error(`a thread of ${module.pathname} ended without a result`));
        });
      });
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(tasks.length, availableParallelism()) }, work));
  } finally {
    await Promise.all([...workers].map((worker) => worker.terminate()));
  }
  return results;
}
