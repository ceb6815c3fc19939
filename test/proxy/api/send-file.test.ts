import { expect, test } from 'vitest';
import { chooseCoding, matchesEtag, parseRange } from '../../../proxy/api/send-file.ts';

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
  expect(chooseCoding(header, ['br', 'gzip', 'identity'])).toBe(coding);
  expect(chooseCoding(header, ['identity'])).toBe('identity');
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

const whole = { bytes: 100, sha256: '', etag: '"a"' };

test.each([
  [undefined, null],
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=10-19', { start: 10, end: 19 }],
  ['BYTES=10-', { start: 10, end: 99 }],
  ['bytes=-8', { start: 92, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  [`bytes=0-${'9'.repeat(400)}`, { start: 0, end: 99 }],
  ['bytes=99-', { start: 99, end: 99 }],
  ['bytes=100-', 'beyond'],
  ['bytes=-0', 'beyond'],
  [`bytes=${'9'.repeat(400)}-`, 'beyond'],
  ['bytes=20-10', null],
  ['bytes=-', null],
  ['bytes=0-1,5-6', null],
  ['bytes=0-1x', null],
  ['items=0-1', null],
])('Range %j of 100 bytes is %j', (range, part) => {
  expect(parseRange(range, undefined, whole)).toEqual(part);
  expect(parseRange(range, '"a"', whole)).toEqual(part);
  for (const other of ['"b"', 'W/"a"', 'Sun, 22 Nov 2026 00:00:00 GMT'])
    expect(parseRange(range, other, whole)).toBe(null);
});
