/** Native work in progress, and the function that interrupts it: Node cannot exit before it has ended. */
const runningWork = new Map<Promise<unknown>, () => void>();

export async function interruptible<T>(work: Promise<T>, interrupt: () => void): Promise<T> {
  runningWork.set(work, interrupt);
  try {
    return await work;
  } finally {
    runningWork.delete(work);
  }
}

/** Interrupts all native work and waits until it has ended. */
export async function interruptAll(): Promise<void> {
  for (const interrupt of runningWork.values()) interrupt();
  await Promise.allSettled(runningWork.keys());
}
