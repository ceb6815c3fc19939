/**
 * Tables between stages and in snapshots: columns are declared once, and types, files, views and pages follow from
 * that.
 */

/** A column: its type in SQL, and its meaning, including units. `Value` is the type of its cells. */
export interface ColumnForm<Value = unknown> {
  type: 'VARCHAR' | 'DOUBLE' | 'INTEGER' | 'BIGINT' | 'BOOLEAN' | 'BLOB';
  about: string;
  /** May be null. */
  nullable?: true;
  /** Exists at compile time only. */
  readonly value?: Value;
}
export interface TableForm {
  /** What one row represents. */
  row: string;
  columns: Record<string, ColumnForm>;
}

export const text = <Value extends string = string>(about: string): ColumnForm<Value> => ({ type: 'VARCHAR', about });
export const real = (about: string): ColumnForm<number> => ({ type: 'DOUBLE', about });
export const whole = (about: string): ColumnForm<number> => ({ type: 'INTEGER', about });
export const yes = (about: string): ColumnForm<boolean> => ({ type: 'BOOLEAN', about });
export const orNull = <Value>(column: ColumnForm<Value>): ColumnForm<Value | null> => ({ ...column, nullable: true });

/** A table's row, and its columns as arrays of equal length. */
export type RowOf<Form extends TableForm> = {
  -readonly [Name in keyof Form['columns']]: Form['columns'][Name] extends ColumnForm<infer Value> ? Value : never;
};
export type ColumnsOf<Form extends TableForm> = { [Name in keyof RowOf<Form>]: RowOf<Form>[Name][] };

/** A table as it is sent between threads: copying columns is faster than copying rows. */
export interface Table {
  form: TableForm;
  columns: Record<string, unknown[]>;
}

/**
 * The table of these rows, in their order. Fields that are not declared as columns are dropped.
 * @throws Error if a column cannot hold a value
 */
export function tableOf<Form extends TableForm>(form: Form, rows: readonly RowOf<NoInfer<Form>>[]): Table {
  const columns = Object.entries(form.columns).map(([name, column]) => {
    const values = (rows as readonly Record<string, unknown>[]).map((row) => row[name]);
    const at = values.findIndex((value) => !fits(column, value));
    if (at !== -1) throw new Error(`${form.row}, row ${at + 1}: ${name} is ${values[at]}, expected ${column.about}`);
    return [name, values] as const;
  });
  return { form, columns: Object.fromEntries(columns) };
}

function fits({ type, nullable }: ColumnForm, value: unknown): boolean {
  if (value === null) return nullable === true;
  return typeof value === 'number'
    ? Number.isFinite(value) && (type === 'DOUBLE' || Number.isInteger(value))
    : value !== undefined;
}

export const isTable = (value: unknown): value is Table =>
  value !== null && typeof value === 'object' && 'form' in value && 'columns' in value;

export const rowCount = ({ columns }: Table) => Object.values(columns)[0]!.length;

export function rowsOf<Row>(columns: Table['columns']): Row[] {
  const entries = Object.entries(columns);
  return (entries[0]?.[1] ?? []).map((_, i) => Object.fromEntries(entries.map(([name, own]) => [name, own[i]])) as Row);
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
    [...Map.groupBy(rows, (row) => row[key])].map(([code, own]) => [code, own.map((row) => row[value])]),
  );

/** Rows by area code. */
export const byCode = <Key extends string, Row extends Record<Key, string>>(
  rows: readonly Row[],
  key: Key,
): Record<string, Row> => Object.fromEntries(rows.map((row) => [row[key], row]));
