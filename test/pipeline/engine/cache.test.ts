import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  findEntry,
  latestEntry,
  pruneEntries,
  readArtifact,
  readTables,
  recordLatest,
  removeTemporaries,
  writeEntry,
} from '../../../pipeline/engine/cache.ts';
import type { CacheKey } from '../../../pipeline/engine/cache-key.ts';
import { lockShared, runIfUnused } from '../../../pipeline/engine/lock.ts';
import { temporaryName } from '../../../pipeline/lib/atomic-write.ts';
import { sha256 } from '../../../pipeline/lib/hash.ts';
import { orNull, real, toTable, whole } from '../../../pipeline/lib/tables/table.ts';
import { temporary } from '../../support/command-line.ts';

const cacheKey = (key: string): CacheKey => ({
  stage: 'survey',
  key: sha256(key),
  inputs: {},
  code: {},
  parameters: {},
  runtime: '',
  catalog: {},
});
const fileOf = (cache: string, key: string) => path.join(cache, 'survey', sha256(key).slice(0, 16), 'trend.json');

test('an entry that was written can be found and read', async () => {
  const cache = temporary();
  const entry = await writeEntry(
    cache,
    cacheKey('a'),
    { trend: { national: [1, 2], states: { AB: [1] } }, report: [] },
    1.5,
  );
  expect(findEntry(cache, 'survey', sha256('a'))).toEqual(entry);
  expect(readArtifact(cache, entry, 'trend')).toEqual({ national: [1, 2], states: { AB: [1] } });
  expect(findEntry(cache, 'survey', sha256('b'))).toBeNull();
});

const ROUNDS = { row: 'A round', columns: { year: whole('Year'), share: orNull(real('Share')) } };
const rounds = (shares: (number | null)[]) =>
  toTable(
    ROUNDS,
    shares.map((share, i) => ({ year: 2000 + i, share })),
  );

test('a table is stored as Parquet: the same rows give the same bytes, and a changed byte is noticed', async () => {
  const cache = temporary();
  const shares = Array.from({ length: 5000 }, (_, i) => (i % 7 === 0 ? null : Math.sqrt(i)));
  const entries = await Promise.all(
    ['a', 'b', 'c'].map((key) => writeEntry(cache, cacheKey(key), { rounds: rounds(shares), report: [] }, 1)),
  );
  expect(new Set(entries.map(({ outputs }) => outputs.rounds)).size).toBe(1);
  expect(entries[0]!.counts).toEqual({ rounds: 5000 });
  const read = (key: string) => readTables(cache, { survey: entries[0]! }, [`survey/${key}`]);
  expect(await read('report')).toEqual({});
  expect((await read('rounds'))['survey/rounds']).toEqual(rounds(shares).columns);
  const file = fileOf(cache, 'a').replace('trend.json', 'rounds.parquet');
  const bytes = readFileSync(file);
  bytes[100]! ^= 1;
  writeFileSync(file, bytes);
  expect(findEntry(cache, 'survey', entries[0]!.key)).toBeNull();
  await expect(read('rounds')).rejects.toThrow(/rounds\.parquet: found different bytes than this build wrote/);
});

test('a value that a column cannot hold is refused with its row', () => {
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => rounds([0.1, bad])).toThrow(`A round, row 2: share is ${bad}, expected Share`);
  for (const year of [null, undefined, 2010.5])
    expect(() => toTable(ROUNDS, [{ year, share: 1 } as any])).toThrow(`A round, row 1: year is ${year}`);
});

test('an entry with a changed or missing file is not found, and is written again', async () => {
  const cache = temporary();
  for (const damage of [(file: string) => writeFileSync(file, '[]'), (file: string) => rmSync(file)]) {
    const entry = await writeEntry(cache, cacheKey('a'), { trend: [1] }, 1);
    damage(fileOf(cache, 'a'));
    expect(findEntry(cache, 'survey', entry.key)).toBeNull();
    expect(() => readArtifact(cache, entry, 'trend')).toThrow();
    await writeEntry(cache, cacheKey('a'), { trend: [1] }, 1);
    expect(readArtifact(cache, entry, 'trend')).toEqual([1]);
  }
});

test('an entry whose record is damaged is not found, and is written again', async () => {
  const cache = temporary();
  const entry = await writeEntry(cache, cacheKey('a'), { trend: [1, 2] }, 1);
  await recordLatest(cache, entry, 'one');
  for (const file of [
    path.join(path.dirname(fileOf(cache, 'a')), 'stage.json'),
    path.join(cache, 'survey/latest-one.json'),
  ]) {
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('"seconds":1');
    writeFileSync(file, text.replace('"seconds":1', '"seconds":2'));
  }
  expect(findEntry(cache, 'survey', entry.key)).toBeNull();
  expect(latestEntry(cache, 'survey', 'one')).toBeNull();
  expect(await writeEntry(cache, cacheKey('a'), { trend: [1, 2] }, 1)).toEqual(entry);
  expect(findEntry(cache, 'survey', entry.key)).toEqual(entry);
  for (const text of ['null', '{}', '[1]', '{"entry":']) {
    writeFileSync(path.join(cache, 'survey/latest-one.json'), text);
    expect(latestEntry(cache, 'survey', 'one')).toBeNull();
  }
  expect(pruneEntries(cache)).toMatchObject({ entries: 1, kept: 0 });
});

test('temporary files are removed, but not others that end in .tmp', async () => {
  const cache = temporary();
  await writeEntry(cache, cacheKey('a'), { trend: [1] }, 1);
  for (const name of [path.basename(temporaryName('abc')), 'mine.tmp', 'notes.12.tmp'])
    writeFileSync(path.join(cache, 'survey', name), '');
  removeTemporaries(cache);
  expect(readdirSync(path.join(cache, 'survey')).filter((name) => name.endsWith('.tmp'))).toEqual([
    'mine.tmp',
    'notes.12.tmp',
  ]);
});

test('writing an entry again keeps the first one; different results are an error', async () => {
  const cache = temporary();
  const first = await writeEntry(cache, cacheKey('a'), { trend: [1] }, 1);
  expect(await writeEntry(cache, cacheKey('a'), { trend: [1] }, 99)).toEqual(first);
  await expect(writeEntry(cache, cacheKey('a'), { trend: [2] }, 1)).rejects.toThrow(
    /survey: found results that differ from/,
  );
  expect(readdirSync(path.join(cache, 'survey'))).toHaveLength(1);
});

test('a number that JSON cannot hold is refused, and no entry is left', async () => {
  const cache = temporary();
  await expect(writeEntry(cache, cacheKey('a'), { trend: [Number.NaN] }, 1)).rejects.toThrow(/NaN in an artifact/);
  expect(readdirSync(path.join(cache, 'survey'))).toEqual([]);
});

test('pruning keeps what the latest build of each country used', async () => {
  const cache = temporary();
  for (const key of ['a', 'b', 'c']) await writeEntry(cache, cacheKey(key), { trend: [key] }, 1);
  await recordLatest(cache, findEntry(cache, 'survey', sha256('b'))!, 'one');
  await recordLatest(cache, findEntry(cache, 'survey', sha256('c'))!, 'two');
  expect(pruneEntries(cache)).toMatchObject({ entries: 1, kept: 2 });
  expect(['a', 'b', 'c'].map((key) => existsSync(fileOf(cache, key)))).toEqual([false, true, true]);
  expect(latestEntry(cache, 'survey', 'one')?.key).toBe(sha256('b'));
});

test('a lock file that is not a database is named', () => {
  const out = temporary();
  lockShared(out).release();
  writeFileSync(path.join(out, 'cache/lock.sqlite'), 'something else '.repeat(100));
  for (const use of [() => lockShared(out), () => runIfUnused(out, () => {})])
    expect(use).toThrow(/cache\/lock\.sqlite: file is not a database, expected an empty SQLite database/);
});

test('nothing is removed while a build uses the directory', () => {
  const out = temporary();
  const [one, two] = [lockShared(out), lockShared(out)];
  const never = () => {
    throw new Error('must not run');
  };
  expect(runIfUnused(out, never)).toBe(false);
  one.release();
  expect(runIfUnused(out, never)).toBe(false);
  two.release();
  let alone = 0;
  expect(runIfUnused(out, () => void alone++)).toBe(true);
  expect(alone).toBe(1);
});
