/** Bad usage or input. The message is one line that says what was found and what was expected; the exit code is 2. */
export class UsageError extends Error {}

/** `error` as one line, for people. */
export function lineOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
}
