/** Tables as Parquet files: the same rows give the same bytes. */
import { type Database, sqlLiteral, withConnection } from './duckdb.ts';
import { loadTable } from './load-table.ts';
import type { Table } from './table.ts';

/** @param metadata key-value metadata of the file */
export async function writeTable(
  db: Database,
  file: string,
  table: Table,
  metadata: Record<string, string> = {},
): Promise<void> {
  await loadTable(db, 'written', table);
  const entries = Object.entries(metadata).map(([key, value]) => `${key}: ${sqlLiteral(value)}`);
  const options = entries.length > 0 ? `, KV_METADATA {${entries}}` : '';
  await db.run(`COPY written TO ${sqlLiteral(file)} (FORMAT parquet, COMPRESSION zstd${options})`);
  await db.run('DROP TABLE written');
}

/** The columns of each of `files`, by its name there; integers of any width become numbers. */
export function readColumns(files: Record<string, string>): Promise<Record<string, Table['columns']>> {
  return withConnection(async ({ connection }) => {
    const tables: Record<string, Table['columns']> = {};
    for (const [name, file] of Object.entries(files)) {
      const read = await connection.runAndReadAll(`FROM read_parquet(${sqlLiteral(file)})`);
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
