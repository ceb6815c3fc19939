import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/**
 * Runs `module` in a thread of its own, which gets `task` as its `workerData`.
 * @param running holds the thread while it runs, so that the caller can stop it
 * @param take turns a message into the result, or returns undefined to wait for more; if it throws, the run fails
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
 * Does each of `tasks` in a thread of its own, as many at once as there are cores. `module` gets its task as `workerData`
 * and posts one message, the result. Results come in the order of the tasks, whichever thread ends first.
 * @throws whatever the first failing thread threw; the others are stopped
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
