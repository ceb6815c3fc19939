/** Types shared by the schemas of several catalog files. */
import { Type } from '../contract/type.ts';

export const period = Type.String({ pattern: '^(19|20)\\d{2}-(0[1-9]|1[0-2])$', description: 'A month, YYYY-MM' });
export const YEARS = { minimum: 1980, maximum: 2099 };
export const year = Type.Integer(YEARS);
/** Without NUL characters, which would truncate the text in some outputs. */
export const text = Type.String({ pattern: '^[^\\u0000]+$' });

/** Not used by the pipeline. */
export const FOR_EDITORS = Type.String({ description: 'JSON Schema of this file, for editors' });

/** The diagnostic methods of surveys, by the project's names. */
export const METHODS = ['microscopy', 'rdt'] as const;
export type Method = (typeof METHODS)[number];
/** What texts call the methods. */
export const METHOD_NAMES: Readonly<Record<Method, string>> = {
  microscopy: 'microscopy',
  rdt: 'rapid diagnostic test',
};

/** Placeholder in a drafted catalog for fields that only people can fill. */
export const OPEN_QUESTION = 'OPEN QUESTION';
/** The code in a drafted catalog until somebody says which country it is: CLDR's for a region that is not known. */
export const UNKNOWN_COUNTRY = 'ZZ';
