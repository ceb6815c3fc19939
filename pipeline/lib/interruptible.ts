/** Work outside JavaScript that is under way, and what interrupts it: Node cannot end the process before it has ended. */
const runningWork = new Map<Promise<unknown>, () => void>();

export async function interruptible<T>(work: Promise<T>, interrupt: () => void): Promise<T> {
  runningWork.set(work, interrupt);
  try {
    return await work;
  } finally {
    runningWork.delete(work);
  }
}

/** Interrupts all of it and waits until it has ended. */
export async function interruptAll(): Promise<void> {
  for (const interrupt of runningWork.values()) interrupt();
  await Promise.allSettled(runningWork.keys());
}
