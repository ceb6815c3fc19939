import { readdirSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../lib/errors.ts';
import { type Database, sqlIdentifier, sqlLiteral } from '../../lib/tables/duckdb.ts';

/**
 * Creates views of a snapshot's tables in the schema `schema`.
 * @returns the files that the views read
 * @throws UsageError if the snapshot has no tables
 */
export async function createViews(db: Database, schema: string, snapshot: string): Promise<string[]> {
  const folder = path.join(snapshot, 'tables');
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.parquet'));
  } catch {
    throw new UsageError(
      `${snapshot}: found no tables, expected a snapshot; build one with \`malaria-risk build --publish\``,
    );
  }
  await db.run(`CREATE SCHEMA ${sqlIdentifier(schema)}`);
  const files = names.sort().map((name) => path.resolve(folder, name));
  for (const file of files)
    await db.run(
      `CREATE VIEW ${sqlIdentifier(schema)}.${sqlIdentifier(path.basename(file, '.parquet'))} AS FROM read_parquet(${sqlLiteral(file)})`,
    );
  return files;
}
