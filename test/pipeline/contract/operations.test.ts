import { expect, test } from 'vitest';
import { ERRORS } from '../../../pipeline/contract/errors.ts';
import {
  type Coverage,
  filePath,
  forecastPeriods,
  OPERATIONS,
  type Operation,
  operationErrors,
  operationFiles,
} from '../../../pipeline/contract/operations.ts';

const byId = (id: string): Operation => OPERATIONS.find((operation) => operation.id === id)!;
const coverage: Coverage = {
  states: ['AB', 'KN'],
  first_estimated: '2023-11',
  last_estimated: '2024-01',
  last_forecast: '2024-05',
  transmission: true,
};

test('twelve operations of SPEC 4 and what is more, each with an id and a path of its own under /v1/', () => {
  expect(OPERATIONS.slice(12).map(({ id }) => id)).toEqual(['seasons-lgas', 'forecasts-skill']);
  expect(new Set(OPERATIONS.map(({ id }) => id)).size).toBe(OPERATIONS.length);
  expect(new Set(OPERATIONS.map(({ responseName }) => responseName)).size).toBe(OPERATIONS.length);
  for (const { id, path, file } of OPERATIONS) {
    expect(path).toBe(`/v1/${id.replace('-', '/')}`);
    expect(file.startsWith(path.slice(1))).toBe(true);
  }
});

test('errors of an operation, by SPEC 4', () => {
  expect(operationErrors(byId('periods'))).toEqual([]);
  expect(operationErrors(byId('risk-lgas'))).toEqual([
    'SCOPE_REQUIRED',
    'UNKNOWN_STATE',
    'INVALID_PERIOD',
    'FORECAST_PERIOD',
    'PERIOD_NOT_AVAILABLE',
  ]);
  expect(operationErrors(byId('forecasts-lgas'))).toEqual(['SCOPE_REQUIRED', 'UNKNOWN_STATE', 'INVALID_MONTHS']);
  expect(operationErrors(byId('transmission-model'))).toEqual(['SCOPE_REQUIRED', 'TRANSMISSION_DATA_UNAVAILABLE']);
  for (const operation of OPERATIONS)
    for (const code of operationErrors(operation)) expect(ERRORS).toHaveProperty(code);
});

test('files by state, period and months, in a fixed order and without a double', () => {
  expect(operationFiles(byId('risk-lgas'), coverage)).toEqual([
    'v1/risk/lgas/2023-11/AB.json',
    'v1/risk/lgas/2023-11/KN.json',
    'v1/risk/lgas/2023-12/AB.json',
    'v1/risk/lgas/2023-12/KN.json',
    'v1/risk/lgas/2024-01/AB.json',
    'v1/risk/lgas/2024-01/KN.json',
  ]);
  expect(operationFiles(byId('forecasts-states'), coverage)).toEqual(
    [1, 2, 3, 4].map((n) => `v1/forecasts/states/${n}.json`),
  );
  expect(operationFiles(byId('periods'), coverage)).toEqual(['v1/periods.json']);
  const all = OPERATIONS.flatMap((operation) => operationFiles(operation, coverage));
  // 5 single, 1 model, 3 and 3 x 2 by period, 4 and 4 x 2 by months, 4 x 2 by state.
  expect(all).toHaveLength(6 + 3 + 6 + 4 + 8 + 8);
  expect(new Set(all).size).toBe(all.length);
});

test('without case records there are no transmission files', () => {
  const all = OPERATIONS.flatMap((operation) => operationFiles(operation, { ...coverage, transmission: false }));
  expect(all.filter((file) => file.includes('transmission'))).toEqual([]);
  expect(all).toHaveLength(35 - 4);
});

test('a path needs all its values', () => {
  expect(filePath(byId('risk-lgas'), { state: 'KN', period: '2023-09' })).toBe('v1/risk/lgas/2023-09/KN.json');
  expect(() => filePath(byId('risk-lgas'), { state: 'KN' })).toThrow('risk-lgas needs period');
});

test('forecast months follow the last estimated one', () => {
  expect(forecastPeriods({ last_estimated: '2023-10' })).toEqual(['2023-11', '2023-12', '2024-01', '2024-02']);
});
