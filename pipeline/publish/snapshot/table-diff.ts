import { type Database, sqlIdentifier, sqlLiteral } from '../../lib/tables/duckdb.ts';

/** Changes between two versions of a table. */
export interface TableChange {
  table: string;
  /** Numbers of rows; null if the version does not have the table. */
  rows: { a: number | null; b: number | null };
  columns_only_in_a: string[];
  columns_only_in_b: string[];
  /** Numbers of rows in only one version, and of those in both that differ; null if no key identifies rows. */
  keyed: { only_in_a: number; only_in_b: number; changed: number } | null;
  /** For each changed column the number of rows, and the largest change if it is numeric. */
  columns: { column: string; changed: number; largest: number | null }[];
}

/** Columns that identify a row. */
const KEY_COLUMNS = [
  'area_level',
  'origins',
  'method',
  'period',
  'year',
  'horizon_months',
  'survey_year',
  'month',
  'measure',
  'months',
  'area',
  'code',
  'state_code',
  'lga_code',
  'file',
  'column',
  'fate',
  'reason',
];
const NUMERIC_TYPE = /^(?:DOUBLE|FLOAT|BIGINT|INTEGER|DECIMAL)/;

/** Compares the tables of the schemas `a` and `b`, which contain nothing else. */
export async function diffTables(db: Database): Promise<TableChange[]> {
  const columns = await db.rows<{ schema: 'a' | 'b'; table: string; column: string; type: string }>(
    `SELECT table_schema AS schema, table_name AS "table", column_name AS "column", data_type AS type
     FROM information_schema.columns WHERE table_schema IN ('a', 'b') ORDER BY table_name, ordinal_position`,
  );
  const changes: TableChange[] = [];
  for (const [table, columnsOfTable] of Map.groupBy(columns, (column) => column.table)) {
    const typesIn = (schema: string) =>
      new Map(columnsOfTable.filter((row) => row.schema === schema).map(({ column, type }) => [column, type]));
    changes.push(await diffTable(db, table, typesIn('a'), typesIn('b')));
  }
  return changes;
}

async function diffTable(
  db: Database,
  table: string,
  typesInA: ReadonlyMap<string, string>,
  typesInB: ReadonlyMap<string, string>,
): Promise<TableChange> {
  const [a, b] = [`a.${sqlIdentifier(table)}`, `b.${sqlIdentifier(table)}`];
  const countRows = async (name: string, columns: ReadonlyMap<string, string>) =>
    columns.size === 0 ? null : (await db.rows<{ n: number }>(`SELECT count(*) AS n FROM ${name}`))[0]!.n;
  const sharedColumns = [...typesInA.keys()].filter((column) => typesInB.has(column));
  const change: TableChange = {
    table,
    rows: { a: await countRows(a, typesInA), b: await countRows(b, typesInB) },
    columns_only_in_a: [...typesInA.keys()].filter((column) => !typesInB.has(column)),
    columns_only_in_b: [...typesInB.keys()].filter((column) => !typesInA.has(column)),
    keyed: null,
    columns: [],
  };
  const keys = KEY_COLUMNS.filter((column) => sharedColumns.includes(column));
  if (keys.length === 0) return change;

  // A key may be null, such as the nation's code.
  const sameKeySql = keys
    .map((key) => `a.${sqlIdentifier(key)} IS NOT DISTINCT FROM b.${sqlIdentifier(key)}`)
    .join(' AND ');
  const differsSql = (column: string) => `(a.${sqlIdentifier(column)} IS DISTINCT FROM b.${sqlIdentifier(column)})`;
  const valueColumns = sharedColumns.filter((column) => !keys.includes(column));
  const isNumeric = (column: string) =>
    NUMERIC_TYPE.test(typesInA.get(column)!) && NUMERIC_TYPE.test(typesInB.get(column)!);
  const differenceSql = (column: string) => `b.${sqlIdentifier(column)}::DOUBLE - a.${sqlIdentifier(column)}::DOUBLE`;
  const columnStructs = valueColumns.map(
    (column) => `{'column': ${sqlLiteral(column)}, changed: count(*) FILTER (in_a AND in_b AND ${differsSql(column)}),
      largest: ${isNumeric(column) ? `max(abs(${differenceSql(column)}))` : 'NULL::DOUBLE'}}`,
  );
  const [counts] = await db.rows<
    Record<'a' | 'b' | 'only_in_a' | 'only_in_b' | 'changed', number> & Pick<TableChange, 'columns'>
  >(
    `SELECT count(in_a) AS a, count(in_b) AS b,
       count(*) FILTER (in_b IS NULL) AS only_in_a, count(*) FILTER (in_a IS NULL) AS only_in_b,
       count(*) FILTER (in_a AND in_b AND (${valueColumns.map(differsSql).join(' OR ') || 'false'})) AS changed,
       [${columnStructs}] AS columns
     FROM (SELECT true AS in_a, * FROM ${a}) a FULL JOIN (SELECT true AS in_b, * FROM ${b}) b ON ${sameKeySql}`,
  );
  const { only_in_a, only_in_b, changed } = counts!;
  // If there are more pairs than rows, several rows have the same key.
  if (counts!.a !== change.rows.a || counts!.b !== change.rows.b) return change;
  return {
    ...change,
    keyed: { only_in_a, only_in_b, changed },
    columns: counts!.columns.filter((column) => column.changed > 0),
  };
}

/** `score 12 (0.0312), level 3; removed: urban`. */
export function describeTableChange({ rows, columns, columns_only_in_a, columns_only_in_b }: TableChange): string {
  if (rows.a === null) return 'new table';
  if (rows.b === null) return 'removed table';
  const changed = columns.map(
    ({ column, changed, largest }) =>
      `${column} ${changed}${largest === null ? '' : ` (${Number(largest.toPrecision(3))})`}`,
  );
  return [
    ...(changed.length > 0 ? [changed.join(', ')] : []),
    ...(columns_only_in_a.length > 0 ? [`removed: ${columns_only_in_a.join(', ')}`] : []),
    ...(columns_only_in_b.length > 0 ? [`new: ${columns_only_in_b.join(', ')}`] : []),
  ].join('; ');
}
