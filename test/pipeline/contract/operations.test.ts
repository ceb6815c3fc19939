import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS } from '../../../pipeline/contract/errors.ts';
import { horizon_months } from '../../../pipeline/contract/fields.ts';
import { FORECAST_MONTHS } from '../../../pipeline/contract/months.ts';
import {
  ALL_OPERATIONS,
  type Coverage,
  filePath,
  forecastPeriods,
  JSON_OPERATIONS,
  OPERATIONS,
  type Operation,
  operationErrors,
  operationFiles,
  PARAMETERS,
  RELEASE_OPERATIONS,
  responseName,
} from '../../../pipeline/contract/operations.ts';
import type { Product } from '../../../pipeline/contract/products.ts';
import { Type } from '../../../pipeline/contract/type.ts';

const byId = (id: string): Operation => OPERATIONS.find((operation) => operation.id === id)!;
const coverage: Coverage = {
  states: ['AB', 'KN'],
  lgas: ['NG001001', 'NG020001', 'NG020002'],
  first_estimated: '2023-11',
  last_estimated: '2024-01',
  last_forecast: '2024-05',
  transmission: true,
  alerts: true,
};

test('the twelve original operations come first, and every operation has its own id and path under /v1/', () => {
  expect(OPERATIONS.findIndex(({ optional }) => optional)).toBe(12);
  expect(OPERATIONS.slice(12).every(({ optional }) => optional)).toBe(true);
  expect(new Set(OPERATIONS.map(({ id }) => id)).size).toBe(OPERATIONS.length);
  expect(new Set(OPERATIONS.map(({ path }) => path)).size).toBe(OPERATIONS.length);
  expect(new Set(JSON_OPERATIONS.map(({ responseName }) => responseName)).size).toBe(JSON_OPERATIONS.length);
  for (const { path, file } of JSON_OPERATIONS) expect(file.startsWith(path.slice(1))).toBe(true);
});

test('what an operation is called, its file and its media type follow from its path and response, and its needs from its entry', () => {
  expect(byId('forecasts-lgas')).toMatchObject({
    path: '/v1/forecasts/lgas',
    file: 'v1/forecasts/lgas/{months}/{state}.json',
    responseName: 'ForecastsLgas',
    type: 'application/json',
    needs: 'scores',
  });
  expect(byId('openapi')).toMatchObject({ path: '/v1/openapi.json', file: 'v1/openapi.json', responseName: 'OpenApi' });
  expect(byId('boundaries-nation')).toMatchObject({ responseName: 'BoundariesNation', type: 'application/geo+json' });
  const idsThatNeed = (product: Product) => OPERATIONS.filter(({ needs }) => needs === product).map(({ id }) => id);
  expect(idsThatNeed('scores').filter((id) => !id.startsWith('table-'))).toEqual([
    'risk-states',
    'risk-lgas',
    'forecasts-states',
    'forecasts-lgas',
    'risk-nation',
    'forecasts-nation',
    'series-states',
    'series-lgas',
  ]);
  expect(idsThatNeed('season')).toEqual(['transmission-states', 'transmission-lgas']);
  expect(idsThatNeed('transmission')).toEqual(['transmission-model']);
  expect(idsThatNeed('cases')).toEqual([
    'alerts',
    ...['forecasts_totals', 'alerts'].flatMap((table) => [`table-${table}-parquet`, `table-${table}-csv`]),
  ]);
  expect(idsThatNeed('windows')).toEqual([
    'seasons-lgas',
    'table-season-parquet',
    'table-season-csv',
    'table-season_windows-parquet',
    'table-season_windows-csv',
  ]);
  expect(RELEASE_OPERATIONS.map(({ id, responseName }) => [id, responseName])).toEqual([
    ['versions', 'Versions'],
    ['versions-diff', 'VersionsDiff'],
  ]);
  for (const { responseName } of OPERATIONS) expect(responseName).toMatch(/^[A-Z]/);
});

test("the README's table of operations has the parameters and scopes of every operation", () => {
  const readme = readFileSync(path.join(import.meta.dirname, '../../../pipeline/contract/README.md'), 'utf8');
  const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
  const rows = readme.split('\n').filter((line) => line.startsWith('| `/v1/') && !line.includes('/v1/tables/'));
  const told = rows.flatMap((row) => {
    const [, paths, parameters, scopes] = row.split('|') as [string, string, string, string];
    return quoted(paths).map((path) => [path, [quoted(parameters), quoted(scopes)]] as const);
  });
  const own = ALL_OPERATIONS.filter(({ path }) => !path.startsWith('/v1/tables/')).map(
    ({ path, parameters, scopes }) => {
      const named = path.replace(/\w+\.tgz$/, '<language>.tgz').replaceAll(/\{(\w+)\}/g, '<$1>');
      return [named, [parameters, scopes]] as const;
    },
  );
  expect(new Set(told.map(([path]) => path)).size).toBe(told.length);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(own));
});

test('a response that schemas.ts does not export is refused', () => {
  expect(() => responseName({ path: '/v1/hills', response: Type.Object({}) })).toThrow(
    '/v1/hills: found a response without a name',
  );
});

test('each operation has the errors that its scopes, parameters and data can cause', () => {
  expect(operationErrors(byId('periods'))).toEqual([]);
  expect(operationErrors(byId('risk-lgas'))).toEqual([
    'SCOPE_REQUIRED',
    'UNKNOWN_STATE',
    'INVALID_PERIOD',
    'FORECAST_PERIOD',
    'PERIOD_NOT_AVAILABLE',
    'SCORES_UNAVAILABLE',
  ]);
  expect(operationErrors(byId('forecasts-lgas'))).toEqual([
    'SCOPE_REQUIRED',
    'UNKNOWN_STATE',
    'INVALID_MONTHS',
    'SCORES_UNAVAILABLE',
  ]);
  expect(operationErrors(byId('transmission-model'))).toEqual(['SCOPE_REQUIRED', 'TRANSMISSION_DATA_UNAVAILABLE']);
  for (const operation of OPERATIONS)
    for (const code of operationErrors(operation)) expect(ERRORS).toHaveProperty(code);
});

test('the parameter, its error and the field tell how far ahead forecasts reach', () => {
  const { title, detail } = ERRORS.INVALID_MONTHS;
  for (const text of [title, detail, PARAMETERS.months.description]) expect(text).toContain(`1 to ${FORECAST_MONTHS}`);
  expect(horizon_months.maximum).toBe(FORECAST_MONTHS);
});

test('an operation has a file per state, period and months, in a fixed order, without duplicates', () => {
  expect(operationFiles(byId('risk-lgas'), coverage)).toEqual([
    'v1/risk/lgas/2023-11/AB.json',
    'v1/risk/lgas/2023-11/KN.json',
    'v1/risk/lgas/2023-12/AB.json',
    'v1/risk/lgas/2023-12/KN.json',
    'v1/risk/lgas/2024-01/AB.json',
    'v1/risk/lgas/2024-01/KN.json',
  ]);
  expect(operationFiles(byId('forecasts-states'), coverage)).toEqual(
    [1, 2, 3, 4].map((months) => `v1/forecasts/states/${months}.json`),
  );
  expect(operationFiles(byId('periods'), coverage)).toEqual(['v1/periods.json']);
  const all = OPERATIONS.flatMap((operation) => operationFiles(operation, coverage));
  const answers = all.filter((file) => file.startsWith('v1/'));
  // 13 single files; by period 2 × 3 and 3 × 2; by months 2 × 4 and 4 × 2; by state 6 × 2; by LGA 3.
  expect(answers).toHaveLength(13 + 6 + 6 + 8 + 8 + 12 + 3);
  expect(new Set(all).size).toBe(all.length);
  expect(all.filter((file) => file.includes('risk_lgas'))).toEqual([
    'tables/risk_lgas.parquet',
    'tables/risk_lgas.csv',
  ]);
});

test('without case records there are no transmission files', () => {
  const all = OPERATIONS.flatMap((operation) => operationFiles(operation, { ...coverage, transmission: false }));
  expect(all.filter((file) => file.includes('transmission'))).toEqual([]);
  // Two for the nation and one for each state.
  expect(OPERATIONS.flatMap((operation) => operationFiles(operation, coverage)).length - all.length).toBe(4);
});

test('without case records there are no alerts', () => {
  const all = OPERATIONS.flatMap((operation) => operationFiles(operation, { ...coverage, alerts: false }));
  expect(all.filter((file) => file.startsWith('v1/alerts'))).toEqual([]);
  // The answers of the two states, and two tables in two formats.
  expect(OPERATIONS.flatMap((operation) => operationFiles(operation, coverage)).length - all.length).toBe(2 + 4);
  expect(operationErrors(byId('alerts'))).toContain('CASE_DATA_UNAVAILABLE');
});

test('a path needs all its values', () => {
  expect(filePath(byId('risk-lgas'), { state: 'KN', period: '2023-09' })).toBe('v1/risk/lgas/2023-09/KN.json');
  expect(() => filePath(byId('risk-lgas'), { state: 'KN' })).toThrow('risk-lgas needs period');
});

test('forecast months follow the last estimated one', () => {
  expect(forecastPeriods({ last_estimated: '2023-10' })).toEqual(['2023-11', '2023-12', '2024-01', '2024-02']);
});

test('no served table allows case counts to be reconstructed', () => {
  const files = OPERATIONS.map(({ file }) => file).join(' ');
  expect(files).not.toMatch(/transmission_series|forecasts_cases/);
  expect(files).toMatch(/risk_lgas\.csv.*season_windows\.parquet/);
});
