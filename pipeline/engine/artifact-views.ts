import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type Database, sqlLiteral } from '../lib/tables/duckdb.ts';
import { entryFolder } from './cache.ts';

/**
 * Creates a view `stage.name` for each artifact of these stages that is a table and is still in the cache.
 * @returns the files that the views read
 */
export async function createArtifactViews(
  db: Database,
  cache: string,
  stages: readonly { stage: string; key: string }[],
): Promise<string[]> {
  const files: string[] = [];
  for (const { stage, key } of stages) {
    const directory = path.resolve(entryFolder(cache, stage, key));
    for (const name of tableFilesIn(directory)) {
      const file = path.join(directory, name);
      await db.run(`CREATE SCHEMA IF NOT EXISTS ${stage}`);
      await db.run(`CREATE VIEW ${stage}.${path.parse(name).name} AS FROM read_parquet(${sqlLiteral(file)})`);
      files.push(file);
    }
  }
  return files;
}

function tableFilesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.parquet'))
      .sort();
  } catch {
    return [];
  }
}
