import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ERRORS } from '../../pipeline/contract/errors.ts';
import { OPERATIONS, type Operation, operationErrors, operationFiles } from '../../pipeline/contract/operations.ts';
import { decide } from '../../proxy/operations.ts';
import { COVERAGE } from './fixture.ts';
import { ALL_SCOPES } from './service.ts';

const FILES = new Set(OPERATIONS.flatMap((operation) => operationFiles(operation, COVERAGE)));
const ask = (target: string, method = 'GET') => decide({ method, target, scopes: ALL_SCOPES }, COVERAGE);

/** Text that is near enough to a valid request to matter. */
const value = fc.oneof(
  fc.constantFrom(
    'KN',
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
    '4.0',
    '../..',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ maxLength: 8 }).map(encodeURIComponent),
);
const name = fc.oneof(
  fc.constantFrom('state', 'period', 'months', 'State', '%73tate', 'state[]', '__proto__'),
  fc.string({ maxLength: 5 }),
);
const query = fc
  .array(fc.tuple(name, value), { maxLength: 4 })
  .map((pairs) => pairs.map(([n, v]) => `${n}=${v}`).join('&'));
const path = fc.oneof(fc.constantFrom(...OPERATIONS.map((operation) => operation.path)), fc.webPath(), fc.string());

test('whatever is asked, a file of the snapshot or an error of that operation comes of it', () => {
  fc.assert(
    fc.property(
      path,
      query,
      fc.constantFrom('GET', 'HEAD', 'POST'),
      fc.subarray(ALL_SCOPES),
      (p, q, method, scopes) => {
        const outcome = decide({ method, target: `${p}?${q}`, scopes }, COVERAGE);
        if (outcome.error === undefined) {
          expect(FILES).toContain(outcome.file);
          expect(outcome.operation.path).toBe(p.split('?')[0]!.replace(/^https?:\/\/[^/?#]*/i, ''));
          expect(outcome.operation.scope === null || scopes.includes(outcome.operation.scope)).toBe(true);
        } else {
          expect(ERRORS).toHaveProperty(outcome.error);
          const own = outcome.operation ? ['METHOD_NOT_ALLOWED', ...operationErrors(outcome.operation)] : ['NOT_FOUND'];
          expect(own).toContain(outcome.error);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('every file is reached, each by its own parameters', () => {
  const reached = OPERATIONS.flatMap((operation: Operation) => {
    const values = {
      state: COVERAGE.states,
      period: ['2023-06', '2023-07', '2023-08', '2023-09', '2023-10', '2023-11', '2023-12'],
      months: ['1', '2', '3', '4'],
    };
    const queries = operation.parameters.reduce(
      (all, parameter) => all.flatMap((q) => values[parameter].map((v) => `${q}&${parameter}=${v}`)),
      [''],
    );
    return queries.map((q) => ask(`${operation.path}?${q}`).file);
  });
  expect(new Set(reached)).toEqual(FILES);
});

test('defaults, encodings and unknown parameters', () => {
  expect(ask('/v1/risk/states').file).toBe('v1/risk/states/2023-12.json');
  expect(ask('/v1/forecasts/states?').file).toBe('v1/forecasts/states/4.json');
  expect(ask('/v1/risk/lgas?state=%4BN&x=1&&=&x=2').file).toBe('v1/risk/lgas/2023-12/KN.json');
  expect(ask('/v1/risk/lgas?%73tate=KN').file).toBe('v1/risk/lgas/2023-12/KN.json');
  expect(ask('/v1/risk/lgas?%ZZ=1&state=KN').file).toBe('v1/risk/lgas/2023-12/KN.json');
  expect(ask('/v1/periods?state=nowhere&period=x').file).toBe('v1/periods.json');
  expect(ask('http://any/v1/periods?x').file).toBe('v1/periods.json');
  expect(ask('/v1/periods?a?b').file).toBe('v1/periods.json');
  expect(ask('/v1/risk/lgas?state=KN#x').error).toBe('UNKNOWN_STATE');
});
