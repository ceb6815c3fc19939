import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  INTEGER,
  type JS,
  JSToDuckDBValueConverter,
  VARCHAR,
} from '@duckdb/node-api';
import { type Database, identifier } from './duckdb.ts';
import { rowCount, type Table } from './table.ts';

const TYPES = { VARCHAR, DOUBLE, INTEGER, BIGINT, BOOLEAN, BLOB };
/** Maximum number of rows in a chunk (DuckDB's vector size). */
const CHUNK = 2048;

/** Creates the temporary table `name` with these rows, in their order. */
export async function loadTable(db: Database, name: string, table: Table): Promise<void> {
  const forms = Object.entries(table.form.columns);
  const values = forms.map(([column]) => table.columns[column] as JS[]);
  await db.run(
    `CREATE TEMP TABLE ${identifier(name)} (${forms.map(([column, { type }]) => `${identifier(column)} ${type}`)})`,
  );
  const appender = await db.connection.createAppender(name);
  for (let from = 0; from < rowCount(table); from += CHUNK) {
    const chunk = DuckDBDataChunk.create(forms.map(([, { type }]) => TYPES[type]));
    chunk.setColumnsConverted(
      values.map((column) => column.slice(from, from + CHUNK)),
      JSToDuckDBValueConverter,
    );
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}
