/** Does `work` on each of `items`, at most `atOnce` at a time. Rejects with the first failure; what runs then ends by itself. */
export async function inParallel<T>(
  atOnce: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]() as IterableIterator<T>;
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
