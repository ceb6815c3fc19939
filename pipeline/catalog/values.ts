/** What the forms of more than one file of the catalog have in common. */
import { Type } from '../contract/type.ts';

/** A field that the form does not name is refused. */
export const closed = { additionalProperties: false } as const;
export const period = Type.String({ pattern: '^(19|20)\\d{2}-(0[1-9]|1[0-2])$' });
export const YEARS = { minimum: 1980, maximum: 2099 };
export const year = Type.Integer(YEARS);
/** A NUL would end it early in what it is written to. */
export const text = Type.String({ pattern: '^[^\\u0000]+$' });

/** Nothing is made of it here. */
export const FOR_EDITORS = Type.String({ description: 'JSON Schema of this file, which editors read' });

/** The diagnostic methods of surveys, by the project's names. */
export const METHODS = ['microscopy', 'rdt'] as const;
export type Method = (typeof METHODS)[number];
/** What people call them. */
export const METHOD_NAMES: Readonly<Record<Method, string>> = {
  microscopy: 'microscopy',
  rdt: 'rapid diagnostic test',
};

/** What a field of a drafted catalog says that only people can fill. */
export const OPEN = 'OPEN QUESTION';
