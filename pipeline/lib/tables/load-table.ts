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
import { type Database, sqlIdentifier } from './duckdb.ts';
import { rowCount, type Table } from './table.ts';

const DUCKDB_TYPES = { VARCHAR, DOUBLE, INTEGER, BIGINT, BOOLEAN, BLOB };
/** Maximum number of rows in a chunk (DuckDB's vector size). */
const CHUNK_ROWS = 2048;

/** Creates the temporary table `name` with these rows, in their order. */
export async function loadTable(db: Database, name: string, table: Table): Promise<void> {
  const columns = Object.entries(table.schema.columns);
  const columnValues = columns.map(([column]) => table.columns[column] as JS[]);
  await db.run(
    `CREATE TEMP TABLE ${sqlIdentifier(name)} (${columns.map(([column, { type }]) => `${sqlIdentifier(column)} ${type}`)})`,
  );
  const appender = await db.connection.createAppender(name);
  for (let firstRow = 0; firstRow < rowCount(table); firstRow += CHUNK_ROWS) {
    const chunk = DuckDBDataChunk.create(columns.map(([, { type }]) => DUCKDB_TYPES[type]));
    chunk.setColumnsConverted(
      columnValues.map((column) => column.slice(firstRow, firstRow + CHUNK_ROWS)),
      JSToDuckDBValueConverter,
    );
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}
