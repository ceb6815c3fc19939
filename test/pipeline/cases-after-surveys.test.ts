import path from 'node:path';
import { expect, test } from 'vitest';
import { withDatabase } from '../../pipeline/lib/tables/duckdb.ts';
import { buildHere, readJson } from '../support/built-tiny.ts';
import { catalogOf, filesOf, withCasesUpTo } from './intake/draft/drafted.ts';

test('a drafted country whose cases run on after its surveys forecasts scores and cases for the same months', async () => {
  const files = withCasesUpTo('2021-12');
  const { sources, model } = await catalogOf(filesOf(files), { name: 'Tiny country', iso_code: 'NG' });
  const { snapshot } = await buildHere(
    filesOf({ ...files, 'sources.json': JSON.stringify({ sources }), 'model.json': JSON.stringify(model) }),
  );
  expect(readJson(snapshot, 'v1/periods.json')).toMatchObject({ last_estimated: '2021-12', last_forecast: '2022-04' });
  const span = (table: string, what: string) =>
    `SELECT ${what} AS of, min(period) AS first, max(period) AS last FROM '${path.join(snapshot, 'tables', table)}.parquet' GROUP BY ALL`;
  const spans = await withDatabase((db) =>
    db.rows(
      `${span('forecasts_cases', "'cases'")} UNION ALL ${span('forecasts_lgas', "'scores'")} UNION ALL ${span('basis', 'basis')} ORDER BY first, of`,
    ),
  );
  expect(spans).toEqual([
    { of: 'survey', first: '2018-01', last: '2018-10' },
    { of: 'usual_season', first: '2018-11', last: '2022-04' },
    { of: 'cases', first: '2022-01', last: '2022-04' },
    { of: 'scores', first: '2022-01', last: '2022-04' },
  ]);
});
