import { applyEdits, modify } from 'jsonc-parser';

/** A value of a JSON file and its path. */
export interface JsonEdit {
  path: readonly (string | number)[];
  value: unknown;
}

const FORMAT = { formattingOptions: { tabSize: 2, insertSpaces: true, eol: '\n' } };

/** Sets values in a JSON text and leaves the rest unchanged, layout included. */
export function editJson(text: string, edits: readonly JsonEdit[]): string {
  return edits.reduce((edited, { path, value }) => {
    // Insertion reformats the property before. `release` always has a line to itself, so its layout stays.
    const getInsertionIndex = (names: string[]) =>
      names.includes('release') ? names.indexOf('release') + 1 : names.length;
    return applyEdits(edited, modify(edited, [...path], value, { ...FORMAT, getInsertionIndex }));
  }, text);
}
