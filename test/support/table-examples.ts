import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { bbox } from '@turf/bbox';
import { booleanClockwise } from '@turf/boolean-clockwise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as schemas from '../../pipeline/contract/schemas.ts';
import { pythonWith } from './python.ts';
import { runHere } from './run-here.ts';

const page = (name: string) => readFileSync(path.join(import.meta.dirname, '../..', name), 'utf8');
const TABLES = page('pipeline/publish/TABLES.md');

/** The code block in this language in TABLES.md. */
function example(language: string): string {
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(TABLES)![1]!;
}
/** The statements for `malaria-risk query` in README and TABLES.md. */
const statements = [page('README.md'), TABLES].flatMap((text) =>
  [...text.matchAll(/malaria-risk query "([^"]+)"/g)].map(([, sql]) => sql!),
);

/** Whether a command succeeds on this machine. */
const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const PYTHON = pythonWith('pandas, pyarrow');
const HAS_R = works('Rscript', '--version');

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

/** Runs the table examples of README and TABLES.md on the build directory `out` (`build` in the examples). */
export function tableExamples(outOf: () => string) {
  let cwd = '';
  beforeAll(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'examples-'));
    symlinkSync(outOf(), path.join(cwd, 'build'));
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  test('the statements for `malaria-risk query` run as written', async () => {
    expect(statements.length).toBeGreaterThan(3);
    for (const sql of statements) {
      const { code, stdout } = await runHere(['query', sql, '--csv', '--out', outOf()]);
      expect(code, sql).toBe(0);
      expect(stdout.split('\n').length, sql).toBeGreaterThan(5);
    }
  });

  test('the DuckDB example counts the people of every state', async () => {
    const levels = await query(cwd, example('sql'));
    const people = levels.reduce((sum, row) => sum + Number(row.people), 0);
    const [context] = await query(
      cwd,
      "SELECT sum(population) AS people FROM 'build/current/tables/context_states.parquet'",
    );
    expect(people).toBe(Number(context!.people));
  });

  test.skipIf(!PYTHON)(`the Python example${PYTHON ? '' : ' (skipped, optional: no pandas and pyarrow)'}`, () => {
    const printed = execFileSync(PYTHON!, ['-c', example('python')], { cwd, encoding: 'utf8' });
    // Four forecast months, each with every LGA.
    expect(printed.match(/^\d{4}-\d{2} +774\.0 /gm)).toHaveLength(4);
  });

  test.skipIf(!HAS_R)(`the R example${HAS_R ? '' : ' (skipped: no Rscript)'}`, async () => {
    for (const name of ['risk_states', 'season']) {
      const printed = await runHere(['query', `FROM ${name}`, '--csv', '--out', outOf()]);
      writeFileSync(path.join(cwd, `${name}.csv`), printed.stdout);
    }
    const printed = execFileSync('Rscript', ['-e', example('r')], { cwd, encoding: 'utf8' });
    // All 37 states, including Nasarawa, whose code is NA.
    expect(printed.match(/^\d+ +[A-Z]{2} +[\d.]+ +\d+$/gm)).toHaveLength(37);
    expect(printed).toMatch(/^\d+ +NA +[\d.]+ +\d+$/m);
  });

  test('tables match the answers, and every column is documented', async () => {
    const current = path.join(outOf(), 'current');
    const json = <T>(name: string): T => JSON.parse(readFileSync(path.join(current, name), 'utf8'));
    for (const { table: name, rows, columns } of json<schemas.Tables>('v1/tables.json').tables) {
      const [count] = await query(current, `SELECT count(*)::INTEGER AS n FROM 'tables/${name}.parquet'`);
      expect(count!.n, name).toBe(rows);
      const found = await query(current, `DESCRIBE FROM 'tables/${name}.parquet'`);
      expect(
        found.map((row) => row.column_name),
        name,
      ).toEqual(columns.map(({ column }) => column));
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
  });

  test('boundaries are valid GeoParquet: metadata as specified, and rings oriented accordingly', async () => {
    const current = path.join(outOf(), 'current');
    const { features } = JSON.parse(readFileSync(path.join(current, 'tables/boundaries_lgas.geojson'), 'utf8'));
    const [geo] = await query(
      current,
      "SELECT decode(value) AS v FROM parquet_kv_metadata('tables/boundaries_lgas.parquet') WHERE decode(key) = 'geo'",
    );
    const types = new Set(features.map(({ geometry }: { geometry: { type: string } }) => geometry.type));
    expect(JSON.parse(String(geo!.v))).toEqual({
      version: '1.1.0',
      primary_column: 'geometry',
      columns: {
        geometry: {
          encoding: 'WKB',
          geometry_types: [...types].sort(),
          orientation: 'counterclockwise',
          edges: 'planar',
          bbox: bbox({ type: 'FeatureCollection', features }),
        },
      },
    });
    for (const { geometry } of features)
      for (const rings of geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates)
        expect(rings.map((ring: [number, number][]) => booleanClockwise(ring))).toEqual(
          rings.map((_: unknown, i: number) => i > 0),
        );
  });
}
