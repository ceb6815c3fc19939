import { errorLine, UsageError } from './errors.ts';

/**
 * The value of `text`, which a command wrote to `file` as JSON.
 * @throws UsageError, with `advice`, if the file was cut short or changed since
 */
export function parseStored<Value>(text: string | Buffer, file: string, advice: string): Value {
  try {
    return JSON.parse(text.toString());
  } catch (error) {
    throw new UsageError(`${file}: found a damaged file (${errorLine(error)}), expected JSON; ${advice}`);
  }
}
