/**
 * Tables between stages and in snapshots: columns are declared once, and types, files, views and pages follow from
 * that.
 */

/** What a column's values may be, and how they are published. Without limits, any value of its type is valid. */
interface Limits {
  /** Unit of numbers, or form of texts: `minutes`, `YYYY-MM`. */
  unit?: string;
  /** Decimals that a fractional number is rounded to where it is published. */
  decimals?: number;
  minimum?: number;
  maximum?: number;
  /** Regular expression that a text matches. */
  pattern?: string;
  /** The only texts that occur. */
  values?: readonly string[];
}

/** A column: its type in SQL, its meaning, its limits. `Value` is the type of its cells. */
export interface ColumnSchema<Value = unknown> extends Limits {
  type: 'VARCHAR' | 'DOUBLE' | 'INTEGER' | 'BIGINT' | 'BOOLEAN' | 'BLOB';
  /** What it means; the unit, if `unit` does not give it. */
  about: string;
  /** May be null. */
  nullable?: true;
  /** What a null stands for, as a clause: `null: no estimate`. */
  null_meaning?: string;
  /** Exists at compile time only. */
  readonly value?: Value;
}
export interface TableSchema {
  /** What one row represents. */
  row: string;
  columns: Record<string, ColumnSchema>;
}

export const text = <Value extends string = string>(about: string, limits: Limits = {}): ColumnSchema<Value> => ({
  type: 'VARCHAR',
  about,
  ...limits,
});
/** A text that is one of a few. */
export const choice = <const Value extends string>(values: readonly Value[], about: string): ColumnSchema<Value> => ({
  type: 'VARCHAR',
  about,
  values,
});
export const real = (about: string, limits: Limits = {}): ColumnSchema<number> => ({
  type: 'DOUBLE',
  about,
  ...limits,
});
export const whole = (about: string, limits: Limits = {}): ColumnSchema<number> => ({
  type: 'INTEGER',
  about,
  ...limits,
});
export const flag = (about: string): ColumnSchema<boolean> => ({ type: 'BOOLEAN', about });
/** @param null_meaning what a null stands for, as a clause: `null: no estimate` */
export const orNull = <Value>(column: ColumnSchema<Value>, null_meaning?: string): ColumnSchema<Value | null> => ({
  ...column,
  nullable: true,
  ...(null_meaning === undefined ? {} : { null_meaning }),
});
/** The same column, with a meaning that is more precise where it is used. */
export const withMeaning = <Value>(about: string, column: ColumnSchema<Value>): ColumnSchema<Value> => ({
  ...column,
  about,
});

/** What a column means, in full: `Land area, square kilometres` or `Share of people, 0 to 1; null: no estimate`. */
export function describeColumn({ about, unit, minimum, maximum, null_meaning: absent }: ColumnSchema): string {
  const range = minimum === undefined || maximum === undefined ? undefined : `${minimum} to ${maximum}`;
  const meaning = [about, unit, range].filter((part) => part !== undefined).join(', ');
  return absent === undefined ? meaning : `${meaning}; ${absent}`;
}

/** A table's row, and its columns as arrays of equal length. */
export type TableRow<Form extends TableSchema> = {
  -readonly [Name in keyof Form['columns']]: Form['columns'][Name] extends ColumnSchema<infer Value> ? Value : never;
};
export type TableColumns<Form extends TableSchema> = { [Name in keyof TableRow<Form>]: TableRow<Form>[Name][] };

/** A table as it is sent between threads: copying columns is faster than copying rows. */
export interface Table {
  schema: TableSchema;
  columns: Record<string, unknown[]>;
}

/**
 * The table of these rows, in their order. Fields that are not declared as columns are dropped.
 * @throws Error if a column cannot hold a value
 */
export function toTable<Form extends TableSchema>(schema: Form, rows: readonly TableRow<NoInfer<Form>>[]): Table {
  const columns = Object.entries(schema.columns).map(([name, column]) => {
    const values = (rows as readonly Record<string, unknown>[]).map((row) => row[name]);
    const invalid = values.findIndex((value) => !isValid(column, value));
    if (invalid !== -1)
      throw new Error(
        `${schema.row}, row ${invalid + 1}: ${name} is ${values[invalid]}, expected ${describeColumn(column)}`,
      );
    return [name, values] as const;
  });
  return { schema, columns: Object.fromEntries(columns) };
}

function isValid({ type, nullable }: ColumnSchema, value: unknown): boolean {
  if (value === null) return nullable === true;
  return typeof value === 'number'
    ? Number.isFinite(value) && (type === 'DOUBLE' || Number.isInteger(value))
    : value !== undefined;
}

export const isTable = (value: unknown): value is Table =>
  value !== null && typeof value === 'object' && 'schema' in value && 'columns' in value;

export const rowCount = ({ columns }: Table) => Object.values(columns)[0]!.length;

export function toRows<Row>(columns: Table['columns']): Row[] {
  const entries = Object.entries(columns);
  return (entries[0]?.[1] ?? []).map(
    (_, i) => Object.fromEntries(entries.map(([name, values]) => [name, values[i]])) as Row,
  );
}

/** A column's values by area code, in the order of the rows. */
export const valuesByCode = <
  Key extends string,
  Value extends string,
  Row extends Record<Key, string> & Record<Value, number>,
>(
  rows: readonly Row[],
  key: Key,
  value: Value,
): Record<string, number[]> =>
  Object.fromEntries(
    [...Map.groupBy(rows, (row) => row[key])].map(([code, codeRows]) => [code, codeRows.map((row) => row[value])]),
  );

/** Rows by area code. */
export const rowByCode = <Key extends string, Row extends Record<Key, string>>(
  rows: readonly Row[],
  key: Key,
): Record<string, Row> => Object.fromEntries(rows.map((row) => [row[key], row]));
