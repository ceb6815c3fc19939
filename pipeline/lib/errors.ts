/**
 * Errors of a command other than bad input (bad-input.ts), each with its own exit code. The message of each states in
 * one line what was found and what was expected.
 */

/** An option, an argument or an entry that is invalid, or names something that does not exist. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A check found something that stops the command: a finding, not an error of the program. */
export class Stopped extends Error {
  override name = 'Stopped';
}

/** A later attempt may succeed: a lock, a network failure, a full disk, a store that cannot be reached at present. */
export class TryAgain extends Error {
  override name = 'TryAgain';
}

/** `error` as one line, for people. Some of Node's errors have a code but no message. */
export function errorLine(error: unknown): string {
  const { message = String(error), code } = Object(error) as Partial<NodeJS.ErrnoException>;
  return (message || String(code)).replace(/\s*\n\s*/g, ' ');
}
