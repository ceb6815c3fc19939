import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as ingest from '../../../../pipeline/ingest/ingest-tables.ts';
import { withDatabase } from '../../../../pipeline/lib/tables/duckdb.ts';
import * as context from '../../../../pipeline/measure/context/context-tables.ts';
import {
  columnListSql,
  makeTables,
  publishableAlerts,
  type TableInput,
  tableCsv,
} from '../../../../pipeline/publish/snapshot/snapshot-tables.ts';

test.each([
  ["DELETE FROM context.lgas WHERE lga_code = 'B'", 'context/lgas: found areas that differ from ingest/lgas (B)'],
  ["INSERT INTO risk.states VALUES ('C')", 'risk/states: found areas that differ from ingest/states (C)'],
])('tables with different areas are refused: %s', async (change, message) => {
  await withDatabase(async (db) => {
    for (const schema of ['ingest', 'context', 'risk', 'season']) {
      await db.run(`CREATE SCHEMA ${schema}`);
      for (const level of ['lga', 'state'])
        await db.run(`CREATE TABLE ${schema}.${level}s AS SELECT unnest(['A', 'B']) AS ${level}_code`);
    }
    await db.run('CREATE TABLE season.national AS SELECT 1 AS month');
    await db.run(change);
    const coverage = { first_estimated: '2021-01', last_estimated: '2021-12' };
    await expect(makeTables(db, { coverage } as TableInput)).rejects.toThrow(message);
  });
});

test('a column that no stage computes is refused', () => {
  const from = [ingest.LGAS, context.LGAS];
  expect(columnListSql(from, ['lga', 'itn_use'])).toBe('lga, itn_use');
  expect(() => columnListSql(from, ['lga', 'toString'])).toThrow(
    'toString: found in none of ingest/lgas, context/lgas, expected one whose stage computes it',
  );
});

test('in CSV, names that a spreadsheet would run as formulas are marked as text, and numbers are not', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'malaria-csv-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await withDatabase(async (db) => {
    await db.run(`CREATE TABLE t (name VARCHAR, code VARCHAR, rate DOUBLE)`);
    await db.run(`INSERT INTO t VALUES ('=1+1', '-1', -0.5), ('+A, B', NULL, NULL), ('-', '1e5', 2), ('@a', '', 3),
      (chr(9) || 'a', 'a=b', 4), ('N''Djamena', '"q"', 5)`);
    expect(await tableCsv(db, 't', path.join(folder, 't.csv'))).toBe(
      `name,code,rate\n'=1+1,-1,-0.5\n"'+A, B",,\n'-,1e5,2.0\n'@a,"",3.0\n'\ta,a=b,4.0\nN'Djamena,"""q""",5.0\n`,
    );
  });
});

test('alerts have counts, or an index of the mean of the last year where counts may not be passed on', () => {
  const row = {
    area: 'lga' as const,
    code: 'A',
    period: '2021-12',
    cases: 60,
    usual: 30,
    usual_low: 10,
    usual_high: 45,
    detection_probability: 0.005,
    detection_class: 'alert' as const,
    detection_since: '2021-12',
    warning_probability: 0.6,
    warning_class: 'alert' as const,
    warning_since: '2021-11',
    completeness: 11 / 12,
    reporting_rate: null,
    basis: 'forecast' as const,
    mean_cases: 40,
  };
  const { mean_cases: _, ...counts } = row;
  expect(publishableAlerts([row], 'cases')).toEqual([{ ...counts, cases_in: 'cases', completeness: 0.9167 }]);
  const [index] = publishableAlerts([row], 'index');
  expect(index).toMatchObject({ cases_in: 'index', cases: 150, usual: 75, usual_low: 25, usual_high: 113 });
  expect(publishableAlerts([{ ...row, cases: null, usual: 1, mean_cases: 0 }], 'index')).toMatchObject([
    { cases: null, usual: 1200 },
  ]);
});
