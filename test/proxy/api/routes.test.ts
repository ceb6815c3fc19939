import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { ERRORS } from '../../../pipeline/contract/errors.ts';
import {
  OPERATIONS,
  type Operation,
  operationErrors,
  operationFiles,
  PARAMETERS,
  type ParameterName,
} from '../../../pipeline/contract/operations.ts';
import { type Query, resolveFile } from '../../../proxy/api/routes.ts';
import { COVERAGE } from '../../support/proxy/fixture.ts';
import { exchange, portOf } from '../../support/proxy/raw-client.ts';
import { atEndOfSuite, giveKey, type Service, startService } from '../../support/proxy/service.ts';

const FILES = new Set(OPERATIONS.flatMap((operation) => operationFiles(operation, COVERAGE)));

let service: Service;
let key: string;

const atEnd = atEndOfSuite();
beforeAll(async () => {
  service = await startService({}, atEnd);
  key = (await giveKey(service.store)).key;
});

/** Values that are valid or nearly so. */
const NEAR = [
  'KN',
  'NGKN001',
  'ngkn001',
  'kn',
  'KN ',
  'ZZ',
  '',
  '2023-12',
  '2024-01',
  '2024-05',
  '2023-6',
  '1',
  '4',
  '5',
  '04',
  '../..',
];
const value = fc.oneof(fc.constantFrom(...NEAR), fc.string({ unit: 'grapheme', maxLength: 8 }));
const query: fc.Arbitrary<Query> = fc.dictionary(
  fc.oneof(fc.constantFrom(...Object.keys(PARAMETERS), '__proto__', 'constructor'), fc.string({ maxLength: 5 })),
  fc.oneof(value, fc.array(value, { minLength: 2, maxLength: 3 })),
);

test('any query leads to a file of the snapshot or to an error of that operation', () => {
  fc.assert(
    fc.property(fc.constantFrom<Operation>(...OPERATIONS), query, (operation, parameters) => {
      const found = resolveFile(operation, parameters, COVERAGE);
      if ('file' in found) expect(operationFiles(operation, COVERAGE)).toContain(found.file);
      else {
        expect(ERRORS).toHaveProperty(found.error);
        expect(operationErrors(operation)).toContain(found.error);
      }
    }),
    { numRuns: 2000 },
  );
});

test('every file can be reached by its own parameters', () => {
  const values: Record<ParameterName, readonly string[]> = {
    state: COVERAGE.states,
    lga: COVERAGE.lgas,
    period: ['2023-06', '2023-07', '2023-08', '2023-09', '2023-10', '2023-11', '2023-12'],
    months: ['1', '2', '3', '4'],
  };
  const reached = OPERATIONS.flatMap((operation: Operation) => {
    const queries = operation.parameters.reduce<Query[]>(
      (all, name) => all.flatMap((parameters) => values[name].map((text) => ({ ...parameters, [name]: text }))),
      [{}],
    );
    return queries.map((parameters) => {
      const found = resolveFile(operation, parameters, COVERAGE);
      return 'file' in found ? found.file : found.error;
    });
  });
  expect(new Set(reached)).toEqual(FILES);
});

test.each([
  ['/v1/risk/states', 'v1/risk/states/2023-12.json'],
  ['/v1/forecasts/states?', 'v1/forecasts/states/4.json'],
  ['/v1/risk/lgas?state=%4BN&x=1&&=&x=2', 'v1/risk/lgas/2023-12/KN.json'],
  ['/v1/risk/lgas?%73tate=KN', 'v1/risk/lgas/2023-12/KN.json'],
  ['/v1/risk/lgas?%ZZ=1&state=KN', 'v1/risk/lgas/2023-12/KN.json'],
  ['/v1/periods?state=nowhere&period=x', 'v1/periods.json'],
  ['http://any/v1/periods?x', 'v1/periods.json'],
  ['HTTPS://any:1/v1/periods', 'v1/periods.json'],
  ['/v1/periods?a?b', 'v1/periods.json'],
  ['/v1/risk/lgas?state=KN#x', null],
  ['http://any?/v1/periods', null],
])('%s answers with %s', async (target, file) => {
  const text = `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Api-Key: ${key}\r\n\r\n`;
  const [answer] = (await exchange(portOf(service.url), text)).answers;
  if (file === null) expect(answer!.status).toBe(404);
  else expect(answer!.body).toBe(readFileSync(join(service.build, 'current', file), 'utf8'));
});
