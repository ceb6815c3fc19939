/** Rounding of what is published, by the names of fields, so that files are byte-stable. */
import type { ColumnSchema } from '../lib/tables/table.ts';
import * as fields from './fields.ts';

const numberedColumns = Object.entries<ColumnSchema | Record<string, ColumnSchema>>(fields).flatMap(([name, entry]) =>
  isColumn(entry) ? [[name, entry] as const] : Object.entries(entry),
);
function isColumn(entry: ColumnSchema | Record<string, ColumnSchema>): entry is ColumnSchema {
  return typeof entry.about === 'string';
}

/** @throws Error if fields of one name differ in decimals, since numbers are rounded by the name of their field */
export function decimalsByName(columns: readonly (readonly [string, ColumnSchema])[]): Record<string, number> {
  const decimalsOf = new Map(columns.map(([name, { decimals }]) => [name, decimals]));
  const conflict = columns.find(([name, { decimals }]) => decimals !== decimalsOf.get(name));
  if (conflict)
    throw new Error(
      `${conflict[0]}: found ${conflict[1].decimals} and ${decimalsOf.get(conflict[0])} decimals, expected the same`,
    );
  return Object.fromEntries([...decimalsOf].filter((entry): entry is [string, number] => entry[1] !== undefined));
}

/**
 * Decimals that each fractional field is rounded to. Other fields are integers or text; a fractional number under such
 * a field is a mistake and is refused.
 */
export const DECIMALS: Readonly<Record<string, number>> = decimalsByName(numberedColumns);

/**
 * Rounds every number under a listed field to that field's decimals, as `toFixed` rounds the binary value (so not
 * always half away from zero in decimal notation). Arrays inherit their field's decimals.
 * @throws Error for a number that is not finite, or fractional under a field without decimals.
 */
export function roundFields<T>(value: T, field = ''): T {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${field}: ${value} is not a finite number`);
    const decimals = DECIMALS[field];
    if (decimals !== undefined) return (Number(value.toFixed(decimals)) + 0) as T;
    if (!Number.isInteger(value)) throw new Error(`${field}: ${value} is fractional, but no decimals are declared`);
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => roundFields(item, field)) as T;
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, roundFields(item, key)])) as T;
  }
  return value;
}

/** One number, rounded to the decimals of `field`. */
export function roundAsField(field: string, value: number): number {
  return roundFields({ [field]: value })[field] as number;
}
