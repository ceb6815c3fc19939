import { existsSync } from 'node:fs';
import path from 'node:path';
import { ARTIFACT_TABLES } from '../artifacts.ts';
import { type Database, literal } from '../lib/tables/duckdb.ts';
import { entryDirectory } from './cache.ts';

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
  for (const name of Object.keys(ARTIFACT_TABLES)) {
    const [stage, artifact] = name.split('/') as [string, string];
    const key = stages.find((record) => record.stage === stage)?.key;
    const file = key && path.resolve(entryDirectory(cache, stage, key), `${artifact}.parquet`);
    if (!file || !existsSync(file)) continue;
    await db.run(`CREATE SCHEMA IF NOT EXISTS ${stage}`);
    await db.run(`CREATE VIEW ${stage}.${artifact} AS FROM read_parquet(${literal(file)})`);
    files.push(file);
  }
  return files;
}
