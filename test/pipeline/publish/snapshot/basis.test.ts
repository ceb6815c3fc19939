import { expect, test } from 'vitest';
import { withDatabase } from '../../../../pipeline/lib/tables/duckdb.ts';
import { basisTable } from '../../../../pipeline/publish/snapshot/basis.ts';

const PREPARE = `
  CREATE SCHEMA ingest;
  CREATE TABLE ingest.states AS SELECT unnest(['AA', 'BB']) AS state_code;
  CREATE TABLE ingest.lgas AS FROM (VALUES ('A1', 'AA'), ('A2', 'AA'), ('B1', 'BB')) v(lga_code, state_code);
  CREATE TABLE ingest.clusters AS FROM (VALUES ('AA', '2020-02'), ('AA', '2020-03')) v(state_code, period);
  CREATE TABLE ingest.area_rounds AS FROM (VALUES ('AA', '2020-05')) v(state_code, period);
  CREATE TABLE ingest.cases AS FROM (VALUES
    ('AA', 'A1', '2020-05', 10, false), ('AA', 'A1', '2020-06', 12, false), ('AA', 'A1', '2020-07', NULL, false),
    ('AA', 'A1', '2020-08', 900, true)) v(state_code, lga_code, period, confirmed, masked);
`;
const SKILL = [1, 2, 3, 4].map((horizon_months) => ({
  area_level: 'lga' as const,
  origins: 'all',
  method: 'case_model',
  horizon_months,
  forecasts: 9,
  log_mae: horizon_months / 10,
  crps_log: 1,
  crps_log1p: 1,
  coverage_50: 0.5,
  coverage_90: 0.9,
  crps_per_1000: null,
}));

test("the basis is 'survey' up to the state's last one, then the usual season; blank or masked records do not count", async () => {
  const rows = await withDatabase(async (db) => {
    await db.run(PREPARE);
    const coverage = {
      states: ['AA', 'BB'],
      lgas: ['A1', 'A2', 'B1'],
      transmission: true,
      alerts: true,
      first_estimated: '2020-01',
      last_estimated: '2020-06',
    };
    return basisTable(db, { ...coverage, last_forecast: '2020-10' }, SKILL);
  });
  expect(rows).toHaveLength(5 * 10);
  const of = (code: string, period: string) => rows.find((row) => row.code === code && row.period === period)!;
  const summary = ({ basis, last_survey, months_since_survey, last_cases, cases_log_mae }: (typeof rows)[number]) => [
    basis,
    last_survey,
    months_since_survey,
    last_cases,
    cases_log_mae,
  ];
  expect(summary(of('A1', '2020-01'))).toEqual(['survey', null, null, null, null]);
  expect(summary(of('A1', '2020-04'))).toEqual(['survey', '2020-03', 1, null, null]);
  expect(summary(of('A1', '2020-06'))).toEqual(['usual_season', '2020-05', 1, '2020-06', null]);
  expect(summary(of('A1', '2020-08'))).toEqual(['usual_season', '2020-05', 3, '2020-06', 0.2]);
  // Only four months are forecast; the other LGA of the state has no record; the state has the record of its LGA.
  expect(of('A1', '2020-10').cases_log_mae).toBe(0.4);
  expect(summary(of('A2', '2020-08'))).toEqual(['usual_season', '2020-05', 3, null, null]);
  expect(summary(of('AA', '2020-08'))).toEqual(['usual_season', '2020-05', 3, '2020-06', null]);
  expect(of('AA', '2020-05').basis).toBe('survey');
  expect(summary(of('B1', '2020-01'))).toEqual(['usual_season', null, null, null, null]);
});
