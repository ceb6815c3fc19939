/** Records are lists of fields. Their schemas, columns and types follow, and so do the rows that are picked by them. */
import type { Static, TArray, TNull, TObject, TProperties, TSchema, TUnion, TUnsafe } from 'typebox';
import { describeColumn } from '../lib/tables/table.ts';
import { DECIMALS } from './decimals.ts';
import type { Field } from './fields.ts';
import { TERRITORY_FIELD } from './in-country.ts';
import { closedObject, Type } from './type.ts';

/** A field, or the schema of what is not one: another record, a list, an outline. */
type FieldOrSchema = Field | TSchema;
type EntrySchema<Entry> = Entry extends Field<infer Value> ? TUnsafe<Value> : Entry extends TSchema ? Entry : never;
type EntrySchemas<Entries> = { -readonly [Name in keyof Entries]: EntrySchema<Entries[Name]> };
type EntryFields<Entries> = { [Name in keyof Entries as Entries[Name] extends Field ? Name : never]: Entries[Name] };

/** Not a string, so that JSON does not have it. */
const FIELDS = Symbol('fields');
export interface HasFields<Fields> {
  readonly [FIELDS]: Fields;
}
type RecordSchema<Entries> = TObject<EntrySchemas<Entries>> & HasFields<EntryFields<Entries>>;

/**
 * The schema of a record, which has exactly these fields.
 * @throws Error if a field has other decimals than fields.ts declares for its name, since numbers are rounded by it
 */
export function record<const Entries extends Record<string, FieldOrSchema>>(
  entries: Entries,
  description?: string,
): RecordSchema<Entries> {
  const properties = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, entrySchema(entry)]));
  const fields = Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Field] => isField(entry[1])),
  );
  for (const [name, { decimals }] of Object.entries(fields))
    if (decimals !== DECIMALS[name])
      throw new Error(
        `${name}: found ${decimals ?? 'no'} decimals in a record, expected ${DECIMALS[name] ?? 'none'} as in fields.ts`,
      );
  const schema = closedObject(properties, description);
  return Object.assign(schema, { [FIELDS]: fields }) as unknown as RecordSchema<Entries>;
}

/** The fields of a record, which are columns too; its other parts are left out. */
export const recordFields = <Fields>(source: HasFields<Fields>): Fields => source[FIELDS];

/** `first`, then those fields of the record that are not among them. (Named once more, those of `first` win.) */
export const withFields = <First, Fields>(first: First, source: HasFields<Fields>) =>
  ({ ...first, ...recordFields(source), ...first }) as First & Omit<Fields, keyof First>;

/** A row's part that is the record, in the record's order. */
export function pick<Properties extends TProperties>(
  row: NoInfer<Static<TObject<Properties>>>,
  { properties }: TObject<Properties>,
): Static<TObject<Properties>> {
  const values = row as Record<string, unknown>;
  return Object.fromEntries(Object.keys(properties).map((name) => [name, values[name]])) as Static<TObject<Properties>>;
}

export const pickAll = <Properties extends TProperties>(
  rows: readonly NoInfer<Static<TObject<Properties>>>[],
  schema: TObject<Properties>,
): Static<TObject<Properties>>[] => rows.map((row) => pick(row, schema));

/** A list of records, of fields, or of what a schema describes. @param length if every such list has as many */
export const list = <const Entry extends FieldOrSchema>(items: Entry, description?: string, length?: number) =>
  Type.Array(entrySchema(items), {
    ...(length === undefined ? {} : { minItems: length, maxItems: length }),
    ...(description === undefined ? {} : { description }),
  }) as unknown as TArray<EntrySchema<Entry>>;

/** What a schema describes, or null. */
export const nullable = <const Entry extends FieldOrSchema>(entry: Entry) =>
  Type.Union([entrySchema(entry), Type.Null()]) as unknown as TUnion<[EntrySchema<Entry>, TNull]>;

const isField = (entry: FieldOrSchema): entry is Field => 'about' in entry;

/** JSON's name for a column's type. */
export const JSON_TYPES = {
  VARCHAR: 'string',
  DOUBLE: 'number',
  INTEGER: 'integer',
  BIGINT: 'integer',
  BOOLEAN: 'boolean',
};

function entrySchema(entry: FieldOrSchema): TSchema {
  if (!isField(entry)) return entry;
  const { type, values, minimum, maximum, pattern, nullable: isNullable, territoryField } = entry;
  if (type === 'BLOB') throw new Error(`${entry.about}: a column of bytes is not a field of answers`);
  // JSON Schema has keywords for the limits.
  const { minimum: _, maximum: __, ...fieldWithoutLimits } = entry;
  const description = { description: describeColumn(fieldWithoutLimits) };
  const limits = Object.entries({ minimum, maximum, pattern }).filter(([, limit]) => limit !== undefined);
  const marker = territoryField ? { [TERRITORY_FIELD]: territoryField } : {};
  const schema = values ? { enum: values } : { type: JSON_TYPES[type], ...Object.fromEntries(limits) };
  // The territory decides whether zones and ISO codes are null.
  const mayBeNull = isNullable || (territoryField !== undefined && territoryField !== 'state_code');
  if (!mayBeNull) return { ...schema, ...description, ...marker };
  return { anyOf: [schema, Type.Null()], ...description, ...marker };
}
