import { applyEdits, modify } from 'jsonc-parser';

/** A value of a JSON file, by the keys that lead to it. */
export interface JsonEdit {
  path: readonly (string | number)[];
  value: unknown;
}

const FORMAT = { formattingOptions: { tabSize: 2, insertSpaces: true, eol: '\n' } };

/** Sets values in a JSON text and leaves the rest as it is, layout included. */
export function editJson(text: string, edits: readonly JsonEdit[]): string {
  return edits.reduce((now, { path, value }) => {
    // After `release`, a line of its own everywhere: what stands before an insertion is laid out anew.
    const getInsertionIndex = (names: string[]) =>
      names.includes('release') ? names.indexOf('release') + 1 : names.length;
    return applyEdits(now, modify(now, [...path], value, { ...FORMAT, getInsertionIndex }));
  }, text);
}
