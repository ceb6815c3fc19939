/** What can be in the way of a command besides a bad input (bad-input.ts), each with an exit code of its own (commands/errors.ts). */

/** Something was asked for that is not there or makes no sense: another option or argument is needed. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** What was checked is not fit to go on with: a finding, and no fault of anything. */
export class Stopped extends Error {
  override name = 'Stopped';
}

/** What stands in the way may be gone at the next try: a lock, a network, a full disk. */
export class TryAgain extends Error {
  override name = 'TryAgain';
}
