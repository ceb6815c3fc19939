import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { query } from '../../../../pipeline/cli/commands/query.ts';
import type { TableName } from '../../../../pipeline/contract/table-list.ts';
import { withDatabase } from '../../../../pipeline/lib/tables/duckdb.ts';
import { describeColumn } from '../../../../pipeline/lib/tables/table.ts';
import { countryTables } from '../../../../pipeline/publish/snapshot/table-columns.ts';
import { currentVersion } from '../../../../pipeline/release/current.ts';
import { STAGE_TABLES } from '../../../../pipeline/stages.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';
import { publishedTiny } from '../../../support/built-tiny.ts';
import { run, start, temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';

const out = publishedTiny();
const version = currentVersion(out)!;

test('without a statement it lists tables and columns with their meaning', async () => {
  const listed = await runHere(['query', '--out', out, '--csv']);
  expect(listed.code).toBe(0);
  const { columns } = countryTables(TERRITORY).risk_lgas;
  expect(listed.stdout).toContain(
    Object.entries(columns)
      .map(([name, column]) => [name, column.type, describeColumn(column)] as const)
      .map(([name, type, about]) => `risk_lgas,${name},${type},${/[",]/.test(about) ? `"${about}"` : about}\n`)
      .join(''),
  );
  // Every artifact that is a table is listed with all its declared columns.
  const [header, ...lines] = listed.stdout.trim().split('\n');
  expect(header).toBe('table,column,type,meaning');
  expect(lines.filter((line) => line.endsWith(','))).toEqual([]);
  expect(listed.stdout).not.toMatch(/\{\w+\}/);
  for (const { name, columns } of STAGE_TABLES)
    for (const [column, { type }] of Object.entries(columns))
      expect(listed.stdout).toContain(`${name.replace('/', '.')},${column},${type},`);
});

test('tables of the current snapshot and of snapshots by name can be joined', async () => {
  const sql = `SELECT context_lgas.lga, count(*) AS months, max(new.score - old.score) AS change
    FROM risk_lgas new JOIN "${version}".risk_lgas old USING (lga_code, period) JOIN context_lgas USING (lga_code)
    GROUP BY ALL ORDER BY ALL`;
  const rows = ['Place 1', 'Place 2', 'Place 3', 'Place 4'].map((lga) => ({ lga, months: 14, change: 0 }));
  expect(await query(sql, { out })).toEqual(rows);
});

test('the artifacts that the snapshot was made from can be queried', async () => {
  const rows = await query(
    `SELECT l.state_code, count(*) AS lgas, bool_and(abs(r.score - s.score) <= 0.00005) AS same
     FROM ingest.lgas l JOIN risk.lgas r USING (lga_code) JOIN risk_lgas s USING (lga_code, period)
       JOIN zonal.lgas z USING (lga_code) JOIN context_lgas c USING (lga_code)
     WHERE period = '2021-09' AND round(z.population) = c.population GROUP BY ALL ORDER BY ALL`,
    { out },
  );
  expect(rows).toEqual(['AB', 'AD'].map((state_code) => ({ state_code, lgas: 2, same: true })));
  const [counts] = await query(
    `SELECT (SELECT count(*) FROM ingest.clusters) AS clusters, (SELECT sum(population) FROM zonal.cells) AS people,
       (SELECT sum(population) FROM zonal.lgas) AS of_lgas, (SELECT max(period) FROM ingest.cases) AS last,
       (SELECT count(*) FROM ingest.census) AS census, (SELECT min(lga_code) FROM season.lgas) AS first`,
    { out },
  );
  expect(counts).toMatchObject({ clusters: 24, last: '2021-12', census: 4, first: 'NG001001' });
  expect(counts!.people).toBeCloseTo(Number(counts!.of_lgas), 3);
});

test("the file of every table names its version, its sources' licences and its columns", async () => {
  const folder = path.join(out, 'current', 'tables');
  const files = readdirSync(folder).filter((name) => name.endsWith('.parquet'));
  expect(files.length).toBeGreaterThan(8);
  for (const file of files) {
    const metadata = await withDatabase((db) =>
      db.rows<{ key: string; value: string }>(
        `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${path.join(folder, file)}')`,
      ),
    );
    const { licences, table_schema, ...about } = Object.fromEntries(metadata.map(({ key, value }) => [key, value]));
    expect(about).toMatchObject({
      model_version: version,
      country: 'Tiny country',
      updated_at: '2022-01-01T00:00:00.000Z',
    });
    expect(JSON.parse(licences!)).toEqual({ 'made for a test': 'CC0-1.0' });
    const { columns } = countryTables(TERRITORY)[path.parse(file).name as TableName];
    const { fields } = JSON.parse(table_schema!);
    expect(fields.map(({ name }: { name: string }) => name)).toEqual(Object.keys(columns));
    if (file === 'context_lgas.parquet')
      expect(fields.find(({ name }: { name: string }) => name === 'area_km2')).toEqual({
        name: 'area_km2',
        type: 'number',
        description: 'Land area, square kilometres',
        unit: 'square kilometres',
        constraints: { required: true, minimum: 0 },
      });
  }
});

test('rows are printed as a table, JSON or CSV; a list as an array in JSON, and elsewhere as DuckDB writes it', async () => {
  const sql = 'SELECT state_code AS code, population, NULL AS nothing, [1, 2] AS list FROM context_states ORDER BY 1';
  const [table, json, csv] = await Promise.all(
    [[], ['--json'], ['--csv']].map((how) => runHere(['query', sql, '--out', out, ...how])),
  );
  expect(table!.stdout).toMatch(/^code +population +nothing +list\nAB +\d+ +— +\[1, 2\]\n/);
  expect(JSON.parse(json!.stdout)[0]).toEqual({
    code: 'AB',
    population: expect.any(Number),
    nothing: null,
    list: [1, 2],
  });
  expect(csv!.stdout).toMatch(/^code,population,nothing,list\nAB,\d+,,"\[1, 2\]"\n/);
});

test('batches of rows join to the same table, JSON and CSV as one', async () => {
  const sql = "SELECT range AS n, repeat('a\n', 2) AS text FROM range(5000)";
  const rows = Array.from({ length: 5000 }, (_, n) => ({ n, text: 'a\na\n' }));
  const [json, csv] = await Promise.all(['--json', '--csv'].map((how) => runHere(['query', sql, '--out', out, how])));
  expect(json!.stdout).toBe(`${JSON.stringify(rows, null, 2)}\n`);
  expect(csv!.stdout).toBe(`n,text\n${rows.map(({ n, text }) => `${n},"${text}"\n`).join('')}`);
  const none = await Promise.all(
    ['--json', '--csv'].map((how) => runHere(['query', `${sql} LIMIT 0`, '--out', out, how])),
  );
  expect(none.map(({ stdout }) => stdout)).toEqual(['[]\n', '\n']);
  const long = await runHere(['query', 'FROM range(1000000000000)', '--out', out]);
  expect(long.stdout.trim().split('\n')).toHaveLength(10_001);
  expect(long.stderr).toBe('These are the first 10000 rows; --csv and --json print all.\n');
});

test('a statement has a bound on its memory, and what it puts on the disk is removed', async () => {
  const [preload, TMPDIR] = [path.join(temporary(), 'peak.mjs'), temporary()];
  writeFileSync(preload, "process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS));");
  const measured = (sql: string) => run(['query', sql, '--csv', '--out', out], { preload, env: { TMPDIR } });
  const many = await measured('FROM range(3000000)');
  expect(many.code, many.stderr).toBe(0);
  expect(many.stdout.split('\n')).toHaveLength(3_000_002);
  expect(Number(/peak (\d+)/.exec(many.stderr)![1])).toBeLessThan(600_000);
  const large = await measured("SELECT count(DISTINCT repeat('x', 200) || range) AS n FROM range(6000000)");
  expect([large.code, large.stdout]).toEqual([0, 'n\n6000000\n']);
  expect(Number(/peak (\d+)/.exec(large.stderr)![1])).toBeLessThan(1_600_000);
  const list = await measured('SELECT list(range) FROM range(200000000)');
  expect([list.code, list.stderr]).toEqual([2, expect.stringMatching(/more than it may use \(1GB of memory/)]);
  expect(readdirSync(TMPDIR)).toEqual([]);
});

const HUGE_VALUE = "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))";

test.for([
  ['rows that nobody reads', 'FROM range(1000000000000)', 'SIGTERM', 3],
  ['a long calculation', 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b', 'SIGINT', 3],
  ['a single huge value', HUGE_VALUE, 'SIGTERM', null],
] as const)('within a second of a signal it stops: %s', async ([, sql, signal, code]) => {
  const TMPDIR = temporary();
  const { child, ended } = start(['query', sql, '--csv', '--out', out], { env: { TMPDIR } });
  child.stdout!.pause();
  await setTimeout(4000);
  const begin = performance.now();
  child.kill(signal);
  await once(child, 'exit');
  expect(performance.now() - begin).toBeLessThan(1000);
  child.stdout!.resume();
  const { code: found, stderr } = await ended;
  expect(found).toBe(code);
  expect(stderr).toMatch(
    new RegExp(`^malaria-risk: stopped by ${signal}; what is published is unchanged, [^\\n]*\\n$`),
  );
  expect(readdirSync(TMPDIR)).toEqual([]);
});

test('the answer of the transmission model can be read as $model', async () => {
  const sql = 'SELECT len(states) AS states FROM read_json($model)';
  const { states } = JSON.parse(readFileSync(path.join(out, 'current', 'v1/transmission/model.json'), 'utf8'));
  expect(await query(sql, { out })).toEqual([{ states: states.length }]);
});

test('a statement can read only the tables, and write no file', async () => {
  const table = path.join(out, 'current', 'tables', 'season.parquet');
  for (const [sql, fault] of [
    ["FROM read_text('/etc/passwd')", /disabled by configuration/],
    [`FROM '${path.join(out, 'current', 'manifest.json')}'`, /disabled by configuration/],
    ["COPY (SELECT 1) TO 'here.csv'", /disabled by configuration/],
    [`COPY (SELECT 1) TO '${table}'`, /expected one SELECT/],
    ['SET enable_external_access = true', /expected one SELECT/],
    ['SELECT 1; SELECT 2', /expected one SELECT/],
    ['CREATE TABLE t AS SELECT 1', /expected one SELECT/],
    ['DROP VIEW season', /expected one SELECT/],
    ['SELECT 1 FROM nowhere', /nowhere does not exist/],
  ] as const)
    await expect(query(sql, { out }), sql).rejects.toThrow(fault);
});

test('an empty statement is bad usage', async () => {
  for (const sql of ['', ' ', ';', ' -- nothing', '/* nothing */;']) {
    const { code, stderr } = await runHere(['query', sql, '--out', out]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('expected one SELECT')]);
  }
});

test('a directory without a snapshot is refused', async () => {
  const empty = temporary();
  const { code, stderr } = await runHere(['query', '--out', empty]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('found no tables, expected a snapshot')]);
  rmSync(empty, { recursive: true });
});

test('a refused statement says what may be asked instead', async () => {
  const snapshot = path.join(out, 'snapshots', version);
  const refusal = async (sql: string) =>
    (await runHere(['query', sql, '--snapshot', snapshot, '--out', temporary()])).stderr;
  expect(await refusal('FROM risk_lga')).toMatch(/does not exist! `malaria-risk query` lists the tables and columns/);
  expect(await refusal('SELECT scor FROM risk_lgas')).toMatch(/not found .*`malaria-risk query` lists/);
  expect(await refusal("COPY (FROM risk_lgas) TO '/x.csv'")).toMatch(
    /expected one SELECT .*--csv > FILE writes its rows/,
  );
  expect(await refusal("FROM read_csv('/x.csv')")).toMatch(/expected one SELECT/);
  expect(await refusal('FROM ingest.clusters')).toMatch(
    /in the cache of the build that made the version: give it with/,
  );
});
