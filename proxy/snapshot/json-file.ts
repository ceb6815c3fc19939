import { lineOf } from '../../pipeline/lib/errors.ts';

/** The JSON value in `text`, read from `path`. @throws Error, in one line that names the file, if it is not JSON */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${lineOf(error)}`, { cause: error });
  }
}
