/**
 * Does `work` on each of `items`, at most `concurrency` at a time. After a failure nothing more is started, and the
 * promise rejects with it once everything in progress has ended.
 */
export async function inParallel<T>(
  concurrency: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]() as IterableIterator<T>;
  const failures: unknown[] = [];
  const worker = async () => {
    for (const item of queue) {
      if (failures.length > 0) return;
      await work(item).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (failures.length > 0) throw failures[0];
}
