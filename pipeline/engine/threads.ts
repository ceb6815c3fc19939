import { availableParallelism } from 'node:os';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/**
 * A small young generation, which V8 would otherwise let grow in every thread: the process takes a quarter less memory
 * and no more time.
 */
const RESOURCE_LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 12 };

/**
 * Runs `module` in a separate thread, which gets `task` as its `workerData`.
 * @param activeWorkers contains the thread while it runs, so that the caller can stop it
 * @param handleMessage turns a message into the result, or returns undefined to wait for more; if it throws, the run
 *   fails
 */
export function runInThread<Message, Result>(
  module: URL,
  task: unknown,
  activeWorkers: Set<Worker>,
  handleMessage: (message: Message) => Result | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(module, { workerData: task, resourceLimits: RESOURCE_LIMITS });
    activeWorkers.add(worker);
    worker.on('message', (message: Message) => {
      try {
        const result = handleMessage(message);
        if (result !== undefined) resolve(result);
      } catch (error) {
        reject(error);
      }
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      activeWorkers.delete(worker);
      reject(new Error(`a thread of ${module.pathname} ended without a result`));
    });
  });
}

/** Threads of one module that share a queue of tasks. */
export interface ThreadPool<Task, Answer> {
  /** Rejects if any thread of the pool fails. */
  run(task: Task): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts `size` threads of `module`, which gets `data` as its `workerData` and answers each message with one. */
export function openThreadPool<Task, Answer>(module: URL, data: unknown, size: number): ThreadPool<Task, Answer> {
  const poolFailure = Promise.withResolvers<never>();
  poolFailure.promise.catch(() => {});
  const queue: { task: Task; resolve(answer: Answer): void }[] = [];
  const idleThreads: (() => void)[] = [];
  const threads = Array.from({ length: size }, () => {
    const thread = new Worker(module, { workerData: data, resourceLimits: RESOURCE_LIMITS });
    let resolve: (answer: Answer) => void;
    const takeNextTask = () => {
      const queued = queue.shift();
      if (!queued) return void idleThreads.push(takeNextTask);
      resolve = queued.resolve;
      thread.postMessage(queued.task);
    };
    thread.on('message', (answer: Answer) => {
      resolve(answer);
      takeNextTask();
    });
    thread.on('error', poolFailure.reject);
    thread.on('exit', () => poolFailure.reject(new Error(`a thread of ${module.pathname} ended without a result`)));
    takeNextTask();
    return thread;
  });
  return {
    run(task) {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      queue.push({ task, resolve });
      idleThreads.shift()?.();
      const answer = Promise.race([promise, poolFailure.promise]);
      // A caller that waits for several answers stops at the first failure, which must not leave the rest unhandled.
      answer.catch(() => {});
      return answer;
    },
    close: async () => void (await Promise.all(threads.map((thread) => thread.terminate()))),
  };
}

/**
 * Runs `tasks` in a pool of as many threads as there are cores. Results are in the order of the tasks.
 * @throws whatever the first failing thread threw; the others are stopped
 */
export async function mapInThreads<Task, Result>(
  module: URL,
  data: unknown,
  tasks: readonly Task[],
): Promise<Result[]> {
  const pool = openThreadPool<Task, Result>(module, data, Math.min(tasks.length, availableParallelism()));
  try {
    return await Promise.all(tasks.map(pool.run));
  } finally {
    await pool.close();
  }
}
