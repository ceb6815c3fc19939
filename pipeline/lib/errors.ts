/** Errors of a command other than bad input (bad-input.ts), each with its own exit code (commands/errors.ts). */

/** An option or argument that makes no sense or asks for something that does not exist. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A check found something that stops the command: a finding, not an error of the program. */
export class Stopped extends Error {
  override name = 'Stopped';
}

/** A later attempt may succeed: a lock, a network failure, a full disk. */
export class TryAgain extends Error {
  override name = 'TryAgain';
}
