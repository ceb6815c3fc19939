/** Invalid usage or input. The message states in one line what was found and what was expected; the exit code is 2. */
export class UsageError extends Error {}

/**
 * A resource cannot be reached at present, or its state is uncertain. The message is one line for the operator;
 * visitors are only asked to try again.
 */
export class UnavailableError extends Error {}

/** `error` as one line, for people. Some of Node's errors have a code but no message. */
export function lineOf(error: unknown): string {
  const { message = String(error), code } = Object(error) as Partial<NodeJS.ErrnoException>;
  return (message || String(code)).replace(/\s*\n\s*/g, ' ');
}
