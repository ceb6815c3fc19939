import { readdirSync } from 'node:fs';
import path from 'node:path';
import { StatementType } from '@duckdb/node-api';
import { Command } from 'commander';
import { fill, wordsOf } from '../../contract/words.ts';
import { createArtifactViews } from '../../engine/artifact-views.ts';
import { UsageError } from '../../lib/errors.ts';
import { toCsv } from '../../lib/tables/csv.ts';
import { literal, withDatabase } from '../../lib/tables/duckdb.ts';
import { describe, type TableForm } from '../../lib/tables/table.ts';
import { openSnapshot } from '../../publish/snapshot/read.ts';
import { TABLES } from '../../publish/snapshot/table-columns.ts';
import { createViews } from '../../publish/snapshot/views.ts';
import { cacheOf, snapshotsOf } from '../../release/build-paths.ts';
import { STAGE_TABLES } from '../../stages.ts';
import { say, terminalWidth } from '../terminal/options.ts';
import { type Cells, formatTable } from '../terminal/text-table.ts';

interface QueryOptions {
  out: string;
  snapshot?: string;
  json?: boolean;
  csv?: boolean;
}

/** The SQL of `query` without a statement. */
const LIST = `SELECT CASE WHEN table_schema = 'snapshot' THEN '' ELSE table_schema || '.' END || table_name AS "table",
    column_name AS "column", data_type AS type
  FROM information_schema.columns ORDER BY table_schema <> 'snapshot', table_schema, table_name, ordinal_position`;

/** `malaria-risk query`. */
export function queryCommand(): Command {
  return new Command('query')
    .description('Query the tables of snapshots, and the artifacts behind them, in SQL (DuckDB, read-only)')
    .argument('[sql]', 'one SELECT statement; without it, lists the tables, their columns and what they mean')
    .option('--out <dir>', "a build's directory, whose snapshots can be queried by name", 'build')
    .option('--snapshot <dir>', 'directory of the snapshot whose tables need no prefix (default: <out>/current)')
    .option('--json', 'rows as JSON')
    .option('--csv', 'rows as CSV')
    .addHelpText(
      'after',
      `
Examples:
  malaria-risk query
  malaria-risk query "FROM risk_lgas" --csv > risk_lgas.csv
  malaria-risk query "SELECT state, round(avg(score), 3) FROM risk_states GROUP BY ALL ORDER BY 2 DESC"
  malaria-risk query 'SELECT lga_code, new.score - old.score AS change FROM risk_lgas new
    JOIN "nigeria-2026.1-9511384d".risk_lgas old USING (lga_code, period) ORDER BY abs(change) DESC LIMIT 10'

  malaria-risk query "SELECT survey_year, sum(examined) FROM ingest.clusters GROUP BY ALL ORDER BY ALL"

Artifacts are the unrounded outputs of stages, named stage.name, as long as they are in the cache of <out>.`,
    )
    .action(async (sql: string | undefined, options: QueryOptions) => {
      const rows = await (sql === undefined ? list(options) : query(sql, options)).catch((error: Error) => {
        // DuckDB's own errors are about the statement.
        throw 'code' in error ? error : new UsageError(error.message);
      });
      if (options.json) say(JSON.stringify(rows, null, 2));
      else if (options.csv) say(toCsv(rows));
      else say(formatTable(rows, terminalWidth()));
    });
}

/**
 * Rows of one SELECT over the tables of the snapshot, the artifacts that it was made from, and the tables of snapshots
 * that the statement names. It can read no other file.
 * @throws Error if `sql` is not exactly one SELECT, or DuckDB refuses it
 */
export async function query(
  sql: string,
  { out, snapshot = path.join(out, 'current') }: QueryOptions,
): Promise<Cells[]> {
  return withDatabase(async (db) => {
    const files = await createViews(db, 'snapshot', snapshot);
    files.push(...(await createArtifactViews(db, cacheOf(out), openSnapshot(snapshot).manifest.stages)));
    for (const name of namedSnapshots(out))
      if (sql.includes(name)) files.push(...(await createViews(db, name, path.join(snapshotsOf(out), name))));
    await db.run(`SET allowed_paths = [${files.map(literal)}]`);
    await db.run('SET enable_external_access = false');
    await db.run('USE snapshot');
    await db.run('SET lock_configuration = true');
    const statements = await db.connection.extractStatements(sql);
    const [statement] = statements.count === 1 ? [await statements.prepare(0)] : [];
    if (statement?.statementType !== StatementType.SELECT)
      throw new UsageError('query: found another statement, expected one SELECT: the tables are read-only');
    const rows = (await statement.runAndReadAll()).getRowObjects();
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])));
  });
}

const FORMS: Record<string, TableForm> = {
  ...TABLES,
  ...Object.fromEntries(STAGE_TABLES.map((form) => [form.name, form])),
};

/**
 * The tables and their columns, with the meaning that this version of the program gives them, in the country's words.
 */
async function list(options: QueryOptions): Promise<Cells[]> {
  const { out, snapshot = path.join(out, 'current') } = options;
  const columns = await query(LIST, options);
  const words = wordsOf(openSnapshot(snapshot).manifest.territory);
  return columns.map((row) => {
    const column = FORMS[String(row.table).replace('.', '/')]?.columns[String(row.column)];
    return { ...row, meaning: column ? fill(describe(column), words) : '' };
  });
}

function namedSnapshots(out: string): string[] {
  try {
    return readdirSync(snapshotsOf(out));
  } catch {
    return [];
  }
}

/** A value as a cell; one that JSON and CSV cannot express is written as DuckDB writes it. */
function cellOf(value: unknown): Cells[string] {
  if (typeof value === 'bigint') return Number(value);
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
    ? (value as Cells[string])
    : String(value);
}
