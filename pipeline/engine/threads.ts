import { availableParallelism } from 'node:os';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/**
 * A small space for young objects, which V8 would otherwise let grow in every thread: a quarter less memory for the
 * whole process, in the same time.
 */
const MEMORY: ResourceLimits = { maxYoungGenerationSizeMb: 12 };

/**
 * Runs `module` in a separate thread, which gets `task` as its `workerData`.
 * @param running contains the thread while it runs, so that the caller can stop it
 * @param take turns a message into the result, or returns undefined to wait for more; if it throws, the run fails
 */
export function inThread<Message, Result>(
  module: URL,
  task: unknown,
  running: Set<Worker>,
  take: (message: Message) => Result | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(module, { workerData: task, resourceLimits: MEMORY });
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

/** Threads of one module that share a queue of tasks. */
export interface ThreadPool<Task, Answer> {
  /** Rejects if any thread of the pool fails. */
  ask(task: Task): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts `size` threads of `module`, which gets `data` as its `workerData` and answers each message with one. */
export function openPool<Task, Answer>(module: URL, data: unknown, size: number): ThreadPool<Task, Answer> {
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  const waiting: { task: Task; resolve(answer: Answer): void }[] = [];
  const idle: (() => void)[] = [];
  const threads = Array.from({ length: size }, () => {
    const thread = new Worker(module, { workerData: data, resourceLimits: MEMORY });
    let resolve: (answer: Answer) => void;
    const next = () => {
      const first = waiting.shift();
      if (!first) return void idle.push(next);
      resolve = first.resolve;
      thread.postMessage(first.task);
    };
    thread.on('message', (answer: Answer) => {
      resolve(answer);
      next();
    });
    thread.on('error', failure.reject);
    thread.on('exit', () => failure.reject(new Error(`a thread of ${module.pathname} ended without a result`)));
    next();
    return thread;
  });
  return {
    ask(task) {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      waiting.push({ task, resolve });
      idle.shift()?.();
      const answer = Promise.race([promise, failure.promise]);
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
  const pool = openPool<Task, Result>(module, data, Math.min(tasks.length, availableParallelism()));
  try {
    return await Promise.all(tasks.map(pool.ask));
  } finally {
    await pool.close();
  }
}
