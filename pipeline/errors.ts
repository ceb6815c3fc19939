/** Errors of a command other than bad input (bad-input.ts), each with its own exit code (commands/errors.ts). */

/** Something was asked for that is not there or makes no sense: another option or argument is needed. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A check found something that stops the command: a finding, not an error of the program. */
export class Stopped extends Error {
  override name = 'Stopped';
}

/** A later try may succeed: a lock, a network, a full disk. */
export class TryAgain extends Error {
  override name = 'TryAgain';
}
