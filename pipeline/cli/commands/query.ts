import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBListValue, type DuckDBPreparedStatement, type DuckDBValue, StatementType } from '@duckdb/node-api';
import { Command } from 'commander';
import { countryWords, fillPlaceholders } from '../../contract/words.ts';
import { createArtifactViews } from '../../engine/artifact-views.ts';
import { UsageError } from '../../lib/errors.ts';
import { interruptible } from '../../lib/interruptible.ts';
import { sqlLiteral, withDatabase } from '../../lib/tables/duckdb.ts';
import { describeColumn, type TableSchema } from '../../lib/tables/table.ts';
import { openSnapshot } from '../../publish/snapshot/open-snapshot.ts';
import { TABLES } from '../../publish/snapshot/table-columns.ts';
import { createViews } from '../../publish/snapshot/views.ts';
import { cacheFolder, snapshotsFolder } from '../../release/build-paths.ts';
import { STAGE_TABLES } from '../../stages.ts';
import { outOption } from '../terminal/options.ts';
import { addRowOptions, printBatches, printRows, type Row, type RowOptions } from '../terminal/rows.ts';
import type { Cells } from '../terminal/text-table.ts';

interface QueryOptions {
  /** The build whose snapshots can be named, and whose cache has the artifacts. */
  out?: string;
  snapshot?: string;
  /** Values of `$name` in the statement, those that it mentions. */
  values?: Record<string, DuckDBValue>;
}

/** The answer of the transmission model, of which only the series is a table. */
export const MODEL_ANSWER = 'v1/transmission/model.json';

/** The SQL of `query` without a statement. */
const LIST_SQL = `SELECT CASE WHEN table_schema = 'snapshot' THEN '' ELSE table_schema || '.' END || table_name AS "table",
    column_name AS "column", data_type AS type
  FROM information_schema.columns ORDER BY table_schema <> 'snapshot', table_schema, table_name, ordinal_position`;

export default function queryCommand(): Command {
  const command = new Command('query')
    .description('Query the tables of snapshots, and the artifacts behind them, in SQL (DuckDB, read-only)')
    .argument('[sql]', 'one SELECT statement; without it, lists the tables, their columns and what they mean')
    .addOption(outOption())
    .option('--snapshot <dir>', 'directory of the snapshot whose tables need no prefix (default: <out>/current)');
  return addRowOptions(command)
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

Artifacts are the unrounded outputs of stages, named stage.name, as long as they are in the cache of <out>. The answer
of the transmission model is read_json($model).

In the terminal, numbers have six digits; with --json and --csv all.

A statement may use ${MEMORY} of memory and ${DISK} of disk, in TMPDIR.`,
    )
    .action(async (sql: string | undefined, options: QueryOptions & RowOptions) => {
      if (sql === undefined) printRows(await listColumns(options), options);
      else await select(sql, options, (batches) => printBatches(batches, options));
    });
}

/** The rows that `select` reads, all of them. */
export function query(sql: string, options: QueryOptions): Promise<Row[]> {
  return select(sql, options, async (batches) => (await Array.fromAsync(batches)).flat());
}

/** What a statement may use of memory, and, for what has no room there, of disk. */
const [MEMORY, DISK] = ['1GB', '20GB'];

/**
 * Reads the rows of one SELECT, as they come, over the tables of the snapshot, the artifacts that it was made from, and
 * the tables of snapshots that the statement names. It can read no other file but the answer `$model`.
 * @throws UsageError if `sql` is not exactly one SELECT, DuckDB refuses it, or it needs more memory than it may use
 */
async function select<T>(
  sql: string,
  { out = 'build', snapshot = path.join(out, 'current'), values = {} }: QueryOptions,
  read: (batches: AsyncIterable<Row[]>) => Promise<T>,
): Promise<T> {
  if (sql.replaceAll(/--.*|\/\*[\s\S]*?\*\/|[\s;]/g, '') === '')
    throw new UsageError('query: found an empty statement, expected one SELECT');
  const model = path.resolve(snapshot, MODEL_ANSWER);
  const namedValues = Object.entries({ ...values, model }).filter(([name]) => sql.includes(`$${name}`));
  const spillFolder = path.join(tmpdir(), `malaria-risk-query-${randomUUID()}`);
  const removeSpillFolder = () => rmSync(spillFolder, { recursive: true, force: true });
  process.once('exit', removeSpillFolder);
  return withDatabase(async (db) => {
    await db.run(`SET memory_limit = '${MEMORY}'`);
    await db.run(`SET temp_directory = ${sqlLiteral(spillFolder)}`);
    await db.run(`SET max_temp_directory_size = '${DISK}'`);
    const files = [model, ...(await createViews(db, 'snapshot', snapshot))];
    files.push(...(await createArtifactViews(db, cacheFolder(out), openSnapshot(snapshot).manifest.stages)));
    for (const name of snapshotNames(out))
      if (sql.includes(name)) files.push(...(await createViews(db, name, path.join(snapshotsFolder(out), name))));
    await db.run(`SET allowed_paths = [${files.map(sqlLiteral)}]`);
    await db.run('SET enable_external_access = false');
    await db.run('USE snapshot');
    await db.run('SET lock_configuration = true');
    const statements = await db.connection.extractStatements(sql);
    const interrupt = () => db.connection.interrupt();
    const [statement] = statements.count === 1 ? [await interruptible(statements.prepare(0), interrupt)] : [];
    if (statement?.statementType !== StatementType.SELECT) throw new UsageError(NO_SELECT);
    statement.bind(Object.fromEntries(namedValues));
    return await read(readBatches(statement, interrupt));
  })
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOMEM')
        throw new UsageError(
          `query: found a statement that needs more than it may use (${MEMORY} of memory, ${DISK} of disk), expected a smaller one`,
        );
      // Without a system's code, the error is about the statement.
      throw 'code' in error || error instanceof UsageError ? error : refusedStatement(error.message.split('\n')[0]!);
    })
    .finally(() => {
      process.off('exit', removeSpillFolder);
      removeSpillFolder();
    });
}

const NO_SELECT = 'query: found another statement, expected one SELECT: the tables are read-only';

/** DuckDB's message about a statement, and what to do. */
function refusedStatement(message: string): UsageError {
  if (/^Permission Error/.test(message))
    return new UsageError(`${message}; expected one SELECT of the tables: --csv > FILE writes its rows`);
  if (/Can only (?:delete|update)/.test(message)) return new UsageError(NO_SELECT);
  const [, stage] = /Table with name "(\w+)\.\w+" does not exist/.exec(message) ?? [];
  if (STAGE_TABLES.some(({ name }) => name.startsWith(`${stage}/`)))
    return new UsageError(
      `${message} It is in the cache of the build that made the version: give it with --out, or build again`,
    );
  const isUnknownName = /^(?:Catalog|Binder) Error/.test(message);
  return new UsageError(isUnknownName ? `${message} \`malaria-risk query\` lists the tables and columns` : message);
}

/** Rows in batches of some thousand, none of them empty. */
async function* readBatches(statement: DuckDBPreparedStatement, interrupt: () => void): AsyncGenerator<Row[]> {
  const result = await interruptible(statement.stream(), interrupt);
  const columns = result.deduplicatedColumnNames();
  for (;;) {
    const chunk = await interruptible(result.fetchChunk(), interrupt);
    if (!chunk?.rowCount) return;
    yield chunk
      .getRowObjects(columns)
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toCell(value)])));
  }
}

const TABLE_SCHEMAS: Record<string, TableSchema> = {
  ...TABLES,
  ...Object.fromEntries(STAGE_TABLES.map((form) => [form.name, form])),
};

/**
 * The tables and their columns, with the meaning that this version of the program gives them, in the country's words.
 */
async function listColumns(options: QueryOptions): Promise<Row[]> {
  const { out = 'build', snapshot = path.join(out, 'current') } = options;
  const columns = await query(LIST_SQL, options);
  const words = countryWords(openSnapshot(snapshot).manifest.territory);
  return columns.map((row) => {
    const column = TABLE_SCHEMAS[String(row.table).replace('.', '/')]?.columns[String(row.column)];
    return { ...row, meaning: column ? fillPlaceholders(describeColumn(column), words) : '' };
  });
}

function snapshotNames(out: string): string[] {
  try {
    return readdirSync(snapshotsFolder(out));
  } catch {
    return [];
  }
}

/** A value as a cell; one that JSON and CSV cannot express is written as DuckDB writes it. */
function toCell(value: unknown): Row[string] {
  if (value instanceof DuckDBListValue) return value.items.map((item) => toCell(item) as Cells[string]);
  if (typeof value === 'bigint') return Number(value);
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
    ? (value as Cells[string])
    : String(value);
}
