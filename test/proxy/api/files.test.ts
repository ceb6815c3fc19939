import { expect, test } from 'vitest';
import { chooseCoding, matchesEtag } from '../../../proxy/api/files.ts';

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0.5, br ; Q=0.5', 'br'],
  ['br;q=0', 'identity'],
  ['br;q=0.0, gzip;q=0.001', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0.5, identity', 'identity'],
  ['identity;q=1, gzip;q=0.5', 'identity'],
  ['identity, gzip', 'gzip'],
  ['identity;q=0, *', 'br'],
  ['identity;q=0', 'identity'],
  ['*;q=0', 'identity'],
  ['zstd', 'identity'],
  ['br;q=nonsense, gzip', 'gzip'],
  ['br;q=2', 'identity'],
])('Accept-Encoding %j gets %s', (header, coding) => {
  expect(chooseCoding(header)).toBe(coding);
});

test.each([
  [undefined, false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['"b,"a""', false],
  ['"a"x', false],
  ['x"a"', false],
  ['"a" "b"', false],
  ['w/"a"', false],
  [', "b" ,, W/"a",', true],
  [`${', '.repeat(8000)}x`, false],
])('If-None-Match %j of "a" is %s', (header, matches) => {
  expect(matchesEtag(header, '"a"')).toBe(matches);
});
