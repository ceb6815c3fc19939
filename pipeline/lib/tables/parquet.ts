/** Tables as Parquet files: the same rows give the same bytes. */
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
import { type Database, identifier, literal, withConnection } from './duckdb.ts';
import { rowCount, type Table } from './table.ts';

const TYPES = { VARCHAR, DOUBLE, INTEGER, BIGINT, BOOLEAN, BLOB };
/** Maximum number of rows in a chunk (DuckDB's vector size). */
const CHUNK = 2048;

/** @param metadata key-value metadata of the file */
export async function writeTable(
  db: Database,
  file: string,
  table: Table,
  metadata: Record<string, string> = {},
): Promise<void> {
  const forms = Object.entries(table.form.columns);
  const values = forms.map(([name]) => table.columns[name] as JS[]);
  await db.run(`CREATE TEMP TABLE written (${forms.map(([name, { type }]) => `${identifier(name)} ${type}`)})`);
  const appender = await db.connection.createAppender('written');
  for (let from = 0; from < rowCount(table); from += CHUNK) {
    const chunk = DuckDBDataChunk.create(forms.map(([, { type }]) => TYPES[type]));
    chunk.setColumnsConverted(
      values.map((column) => column.slice(from, from + CHUNK)),
      JSToDuckDBValueConverter,
    );
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  const entries = Object.entries(metadata).map(([key, value]) => `${key}: ${literal(value)}`);
  const options = entries.length > 0 ? `, KV_METADATA {${entries}}` : '';
  await db.run(`COPY written TO ${literal(file)} (FORMAT parquet, COMPRESSION zstd${options})`);
  await db.run('DROP TABLE written');
}

/** The columns of each of `files`, by its name there; integers of any width become numbers. */
export function readColumns(files: Record<string, string>): Promise<Record<string, Table['columns']>> {
  return withConnection(async ({ connection }) => {
    const tables: Record<string, Table['columns']> = {};
    for (const [name, file] of Object.entries(files)) {
      const read = await connection.runAndReadAll(`FROM read_parquet(${literal(file)})`);
      const columns = Object.entries(read.getColumnsObjectJS()).map(([column, values]) => [
        column,
        values.some((value) => typeof value === 'bigint')
          ? values.map((value) => (value === null ? null : Number(value)))
          : values,
      ]);
      tables[name] = Object.fromEntries(columns);
    }
    return tables;
  });
}
