import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  asideOf,
  clearAsides,
  findEntry,
  latestEntry,
  markLatest,
  pruneEntries,
  readArtifact,
  writeEntry,
} from '../../../pipeline/engine/cache.ts';
import type { CacheKey } from '../../../pipeline/engine/cache-key.ts';
import { sha256 } from '../../../pipeline/engine/hash.ts';
import { enter, whenAlone } from '../../../pipeline/engine/lock.ts';
import { temporary } from '../../support/command-line.ts';

const cacheKey = (key: string): CacheKey => ({
  ...{
    stage: 'survey',
    key: sha256(key),
    inputs: {},
    code: {},
    packages: {},
    parameters: {},
    runtime: '',
    catalog: {},
  },
});
const fileOf = (cache: string, key: string) => path.join(cache, 'survey', sha256(key).slice(0, 16), 'trend.json');

test('what was written is found and read; its rows are counted', () => {
  const cache = temporary();
  const entry = writeEntry(cache, cacheKey('a'), { trend: { national: [1, 2], states: { AB: [1] } }, report: [] }, 1.5);
  expect(entry.counts).toEqual({ 'trend.national': 2, 'trend.states': 1, report: 0 });
  expect(findEntry(cache, 'survey', sha256('a'))).toEqual(entry);
  expect(readArtifact(cache, entry, 'trend')).toEqual({ national: [1, 2], states: { AB: [1] } });
  expect(findEntry(cache, 'survey', sha256('b'))).toBeNull();
});

test('an entry that was changed or lost a file is not found, and is written anew', () => {
  const cache = temporary();
  for (const damage of [(file: string) => writeFileSync(file, '[]'), (file: string) => rmSync(file)]) {
    const entry = writeEntry(cache, cacheKey('a'), { trend: [1] }, 1);
    damage(fileOf(cache, 'a'));
    expect(findEntry(cache, 'survey', entry.key)).toBeNull();
    expect(() => readArtifact(cache, entry, 'trend')).toThrow();
    writeEntry(cache, cacheKey('a'), { trend: [1] }, 1);
    expect(readArtifact(cache, entry, 'trend')).toEqual([1]);
  }
});

test('a byte flipped in what is told of an entry: it is made anew, and no plan trips over it', () => {
  const cache = temporary();
  const entry = writeEntry(cache, cacheKey('a'), { trend: [1, 2] }, 1);
  markLatest(cache, entry, 'one');
  for (const file of [
    path.join(path.dirname(fileOf(cache, 'a')), 'stage.json'),
    path.join(cache, 'survey/latest-one.json'),
  ]) {
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('"trend":2');
    writeFileSync(file, text.replace('"trend":2', '"trend":3'));
  }
  expect(findEntry(cache, 'survey', entry.key)).toBeNull();
  expect(latestEntry(cache, 'survey', 'one')).toBeNull();
  expect(writeEntry(cache, cacheKey('a'), { trend: [1, 2] }, 1)).toEqual(entry);
  expect(findEntry(cache, 'survey', entry.key)).toEqual(entry);
  for (const text of ['null', '{}', '[1]', '{"entry":']) {
    writeFileSync(path.join(cache, 'survey/latest-one.json'), text);
    expect(latestEntry(cache, 'survey', 'one')).toBeNull();
  }
  expect(pruneEntries(cache)).toMatchObject({ entries: 1, kept: 0 });
});

test('what is half written is cleared, and what others call .tmp stays', () => {
  const cache = temporary();
  writeEntry(cache, cacheKey('a'), { trend: [1] }, 1);
  for (const name of [path.basename(asideOf('abc')), 'mine.tmp', 'notes.12.tmp'])
    writeFileSync(path.join(cache, 'survey', name), '');
  clearAsides(cache);
  expect(readdirSync(path.join(cache, 'survey')).filter((name) => name.endsWith('.tmp'))).toEqual([
    'mine.tmp',
    'notes.12.tmp',
  ]);
});

test('the second of two that write one entry keeps the first; other results are an error', () => {
  const cache = temporary();
  const first = writeEntry(cache, cacheKey('a'), { trend: [1] }, 1);
  expect(writeEntry(cache, cacheKey('a'), { trend: [1] }, 99)).toEqual(first);
  expect(() => writeEntry(cache, cacheKey('a'), { trend: [2] }, 1)).toThrow(/survey: found other results than/);
  expect(readdirSync(path.join(cache, 'survey'))).toHaveLength(1);
});

test('a number that JSON cannot hold is refused, and leaves nothing', () => {
  const cache = temporary();
  expect(() => writeEntry(cache, cacheKey('a'), { trend: [Number.NaN] }, 1)).toThrow(/NaN in an artifact/);
  expect(readdirSync(path.join(cache, 'survey'))).toEqual([]);
});

test('pruning keeps what the latest build of each country used', () => {
  const cache = temporary();
  for (const key of ['a', 'b', 'c']) writeEntry(cache, cacheKey(key), { trend: [key] }, 1);
  markLatest(cache, findEntry(cache, 'survey', sha256('b'))!, 'one');
  markLatest(cache, findEntry(cache, 'survey', sha256('c'))!, 'two');
  expect(pruneEntries(cache)).toMatchObject({ entries: 1, kept: 2 });
  expect(['a', 'b', 'c'].map((key) => existsSync(fileOf(cache, key)))).toEqual([false, true, true]);
  expect(latestEntry(cache, 'survey', 'one')?.key).toBe(sha256('b'));
});

test('a lock that is no lock is named', () => {
  const out = temporary();
  enter(out).leave();
  writeFileSync(path.join(out, 'cache/lock.sqlite'), 'something else '.repeat(100));
  for (const use of [() => enter(out), () => whenAlone(out, () => {})])
    expect(use).toThrow(/cache\/lock\.sqlite: file is not a database, expected SQLite's empty file/);
});

test('nobody removes anything while a build is in the directory', () => {
  const out = temporary();
  const [one, two] = [enter(out), enter(out)];
  const never = () => {
    throw new Error('must not run');
  };
  expect(whenAlone(out, never)).toBe(false);
  one.leave();
  expect(whenAlone(out, never)).toBe(false);
  two.leave();
  let alone = 0;
  expect(whenAlone(out, () => void alone++)).toBe(true);
  expect(alone).toBe(1);
});
