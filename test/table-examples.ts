import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import type * as schemas from '../pipeline/contract/schemas.ts';

/** The README's code block in this language. */
function example(language: string): string {
  const readme = readFileSync(path.join(import.meta.dirname, '../README.md'), 'utf8');
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(readme)![1]!;
}

/** Tools beside DuckDB that the README has an example for: how to ask whether all of it is there, and how to run it. */
const TOOLS = [
  { language: 'python', command: 'python3', probe: ['-c', 'import pandas, pyarrow'], run: ['-c'] },
  { language: 'r', command: 'Rscript', probe: ['-e', 'library(arrow)'], run: ['-e'] },
];

async function query(cwd: string, sql: string) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`SET file_search_path = '${cwd}'`);
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** What the README says of a snapshot's tables, done to one in the directory `out` (`build` in the examples). */
export function tableExamples(outOf: () => string) {
  test('the README’s examples of the tables run, in each tool that is installed', async () => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'examples-'));
    try {
      symlinkSync(outOf(), path.join(cwd, 'build'));
      const levels = await query(cwd, example('sql'));
      const people = levels.reduce((sum, row) => sum + Number(row.people), 0);
      const context = await query(
        cwd,
        "SELECT sum(population) AS people FROM 'build/current/tables/context_states.parquet'",
      );
      expect(people).toBe(Number(context[0]!.people));
      for (const { language, command, probe, run } of TOOLS) {
        if (spawnSync(command, probe).status === 0)
          expect(execFileSync(command, [...run, example(language)], { cwd, encoding: 'utf8' }).trim()).not.toBe('');
        else process.stderr.write(`README's ${language} example not run: ${command} ${probe.join(' ')} fails here\n`);
      }
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  });

  test('tables hold the answers, and every column is documented', async () => {
    const current = path.join(outOf(), 'current');
    const json = <T>(name: string): T => JSON.parse(readFileSync(path.join(current, name), 'utf8'));
    const forms =
      json<Record<string, { rows: number; columns: Record<string, { type: string }> }>>('tables/columns.json');
    for (const [name, { rows, columns }] of Object.entries(forms)) {
      const [count] = await query(current, `SELECT count(*)::INTEGER AS n FROM 'tables/${name}.parquet'`);
      expect(count!.n, name).toBe(rows);
      const found = await query(current, `DESCRIBE FROM 'tables/${name}.parquet'`);
      expect(
        found.map((row) => row.column_name),
        name,
      ).toEqual(Object.keys(columns));
    }
    const { last_estimated } = json<schemas.Periods>('v1/periods.json');
    const { states } = json<schemas.RiskStates>(`v1/risk/states/${last_estimated}.json`);
    const rows = await query(
      current,
      `SELECT state_code, score, score_low, level FROM 'tables/risk_states.parquet' WHERE period = '${last_estimated}'`,
    );
    expect(rows).toEqual(
      states.map(({ state_code, score, score_low, level }) => ({ state_code, score, score_low, level })),
    );
    const [geo] = await query(
      current,
      "SELECT decode(value) AS v FROM parquet_kv_metadata('tables/boundaries_lgas.parquet') WHERE decode(key) = 'geo'",
    );
    expect(JSON.parse(String(geo!.v))).toMatchObject({ version: '1.1.0', primary_column: 'geometry' });
  });
}
