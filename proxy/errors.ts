/** Bad usage or input. The message is one line that says what was found and what was expected; the exit code is 2. */
export class UsageError extends Error {}

/**
 * What is needed cannot be reached now, or not be sure of. The message is one line for the operator; visitors are told
 * nothing of it but to come again.
 */
export class UnavailableError extends Error {}

/** `error` as one line, for people. */
export function lineOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
}
