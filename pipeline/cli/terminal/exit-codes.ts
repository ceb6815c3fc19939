import { CommanderError } from 'commander';
import { BadInput, type BadInputDetails, badInputDetails, errorMessage } from '../../lib/bad-input.ts';
import { Stopped, TryAgain, UsageError } from '../../lib/errors.ts';

/** Exit codes, for schedulers and scripts. */
export const EXIT = {
  success: 0,
  /** A check found something: verify, review, a gate, a file that `new-country` could not use. */
  finding: 1,
  /** Bad input or usage: running it again would end the same way. */
  bad_input: 2,
  /** A later attempt may succeed: a full disk, a lock, a network failure. */
  try_again: 3,
  /** The program is at fault. */
  fault: 4,
} as const;

const MAKE_ROOM = 'make room and run it again; what is published is unchanged';

/** System errors: the exit code of each, and what to do about it. */
const SYSTEM_ERRORS: Record<string, [exit_code: number, message: string]> = {
  ENOSPC: [EXIT.try_again, `no space left on the disk; ${MAKE_ROOM}`],
  EDQUOT: [EXIT.try_again, `the disk quota is used up; ${MAKE_ROOM}`],
  EFBIG: [EXIT.bad_input, 'a file would grow larger than allowed here (ulimit -f); what is published is unchanged'],
  EROFS: [EXIT.bad_input, 'the disk is read-only; expected a writable one'],
  EACCES: [EXIT.bad_input, 'permission denied; expected read and write access'],
  EPERM: [EXIT.bad_input, 'permission denied; expected read and write access'],
  ENOMEM: [EXIT.try_again, 'not enough memory; try again with fewer threads (--jobs) or more memory'],
  EMFILE: [EXIT.try_again, 'too many open files; raise the limit (ulimit -n)'],
  ENFILE: [EXIT.try_again, 'too many open files on this machine; try again'],
  ENOTDIR: [EXIT.bad_input, 'a file is where a directory should be'],
  EISDIR: [EXIT.bad_input, 'a directory is where a file should be'],
  ENAMETOOLONG: [EXIT.bad_input, 'the name is too long; expected a shorter one'],
  ENOENT: [EXIT.bad_input, 'no such file or directory'],
  EIO: [EXIT.try_again, 'the disk failed; what is published is unchanged'],
};

/** An error as `--json` prints it, on one line of standard error. */
export interface ErrorLine extends Partial<BadInputDetails> {
  type: 'error';
  /** BAD_INPUT, USAGE, STOPPED, TRY_AGAIN, FAULT, or the system's own code, such as ENOSPC. */
  code: string;
  exit_code: number;
  message: string;
}

/** Describes any error for the person or program that ran the command. */
export function describeError(error: Error): ErrorLine {
  const { code = '', path } = error as NodeJS.ErrnoException;
  const toErrorLine = (name: string, exit_code: number, message = errorMessage(error).split('\n')[0]!): ErrorLine => ({
    type: 'error',
    code: name,
    exit_code,
    ...badInputDetails(error),
    message,
  });
  if (error instanceof BadInput) return toErrorLine('BAD_INPUT', EXIT.bad_input);
  if (error instanceof UsageError || error instanceof CommanderError)
    return toErrorLine('USAGE', EXIT.bad_input, error.message.split('\n')[0]!.replace(/^error: /, ''));
  if (error instanceof Stopped) return toErrorLine('STOPPED', EXIT.finding);
  if (error instanceof TryAgain) return toErrorLine('TRY_AGAIN', EXIT.try_again);
  const system = SYSTEM_ERRORS[code];
  if (system) return toErrorLine(code, system[0], `${path ? `${path}: ` : ''}${system[1]} (${code})`);
  return toErrorLine('FAULT', EXIT.fault);
}
