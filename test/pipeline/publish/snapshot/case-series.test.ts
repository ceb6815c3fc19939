import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import type { TransmissionModel } from '../../../../pipeline/contract/schemas.ts';
import { withDatabase } from '../../../../pipeline/lib/tables/duckdb.ts';
import { verifySnapshot } from '../../../../pipeline/publish/snapshot/verify.ts';
import { buildHere, readJson } from '../../../support/built-tiny.ts';
import { writeTiny } from '../../../support/tiny-country.ts';

const seriesIn = (snapshot: string) =>
  (readJson(snapshot, 'v1/transmission/model.json') as TransmissionModel).states[0]!.series;

/** Text files of a snapshot that contain a month's figure as reported. */
function filesWith(snapshot: string, reported: readonly number[]): string[] {
  const figures = reported.map(String).filter((text) => /\.\d{3,}/.test(text));
  expect(figures.length).toBeGreaterThan(10);
  return readdirSync(snapshot, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(json|csv|html)$/.test(name))
    .filter((name) => {
      const text = readFileSync(path.join(snapshot, name), 'utf8');
      return figures.some((figure) => text.includes(`:${figure},`) || text.includes(`,${figure},`));
    });
}

test('with monthly case records published as an index, no file of the snapshot has them as reported', async () => {
  const exact = path.join(inject('builtTiny'), 'current');
  const reported = seriesIn(exact).map((row) => row.reported);
  expect(filesWith(exact, reported).sort()).toEqual(['tables/transmission_series.csv', 'v1/transmission/model.json']);

  const country = writeTiny((tiny) => {
    tiny.model.parameters.publication = { case_series: 'index' };
  });
  const { snapshot, ran } = await buildHere(country.directory);
  expect(ran).toEqual(['snapshot']);
  expect(filesWith(snapshot, reported)).toEqual([]);
  const index = seriesIn(snapshot).map((row) => row.reported);
  expect(index.reduce((sum, value) => sum + value, 0) / index.length).toBeCloseTo(100, 1);
  expect(readJson(snapshot, 'v1/transmission/model.json').limits.at(-1)).toMatch(/may not be passed on/);
  const [table] = await withDatabase((db) =>
    db.rows<{ mean: number }>(
      `SELECT avg(reported) AS mean FROM '${path.join(snapshot, 'tables/transmission_series.parquet')}' WHERE state_code = 'AB'`,
    ),
  );
  expect(table!.mean).toBeCloseTo(100, 1);
  expect(await verifySnapshot(snapshot)).toMatchObject({ faults: [] });
});
