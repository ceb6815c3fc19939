import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/**
 * Runs `module` in a thread of its own, which is told `task` as its `workerData`.
 * @param running holds the thread as long as it runs, for whoever may have to stop it
 * @param take makes the result of a message, or undefined where more is to come; what it throws is the failure
 */
export function inThread<Message, Result>(
  module: URL,
  task: unknown,
  running: Set<Worker>,
  take: (message: Message) => Result | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(module, { workerData: task });
    running.add(worker);
    worker.on('message', (message: Message) => {
      try {
        const result = take(message);
        if (result !== undefined) resolve(result);
      } catch (error) {
        reject(error);
      }
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      running.delete(worker);
      reject(new Error(`a thread of ${module.pathname} ended without a result`));
    });
  });
}

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
      results[at] = await inThread(module, tasks[at], workers, (result: Result) => result);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(tasks.length, availableParallelism()) }, work));
  } finally {
    await Promise.all([...workers].map((worker) => worker.terminate()));
  }
  return results;
}
