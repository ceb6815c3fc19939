/** Reproducibility and replacement of made-up countries. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { hasSyntheticCountry, writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';
import { hashTree, run, temporary } from '../support/command-line.ts';

const directory = temporary();
const out = join(directory, 'one');
beforeAll(async () => {
  await writeSyntheticCountry({ seed: 1, out });
});

test('a seed gives the same bytes in another process, time zone and language; --if-missing keeps them', async () => {
  const other = join(directory, 'again');
  const env = { TZ: 'Asia/Kathmandu', LANG: 'de_DE.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
  const made = await run(['synth', '--seed', '1', '--out', other], { env });
  expect(made.stderr).toBe('');
  expect(made.code).toBe(0);
  expect(made.stdout).toContain(other);
  expect(hashTree(other)).toEqual(hashTree(out));

  const before = statSync(join(other, 'model.json')).mtimeMs;
  const kept = await run(['synth', '--seed', '1', '--out', other, '--if-missing', '--json']);
  expect(JSON.parse(kept.stdout)).toEqual({ out: other, seed: 1, written: false });
  expect(statSync(join(other, 'model.json')).mtimeMs).toBe(before);

  expect(hasSyntheticCountry(1, 'matern', other)).toBe(true);
  expect(hasSyntheticCountry(2, 'matern', other)).toBe(false);
  rmSync(join(other, 'cases/lgas.csv'));
  expect(hasSyntheticCountry(1, 'matern', other)).toBe(false);
});

test('another seed makes a different country, which replaces the first without leaving files behind', async () => {
  const target = join(directory, 'place');
  mkdirSync(`${target}.writing-999999999`);
  mkdirSync(target);
  writeFileSync(join(target, 'model.json'), JSON.stringify({ synthetic: true }));
  writeFileSync(join(target, 'stale.csv'), 'stale');
  await writeSyntheticCountry({ seed: 2, out: target });
  const [one, two] = [hashTree(out), hashTree(target)];
  expect(Object.keys(two)).toEqual(Object.keys(one));
  const same = Object.keys(one).filter((path) => one[path] === two[path]);
  expect(same.sort()).toEqual([
    'boundaries/lgas.prj',
    'boundaries/states.dbf',
    'boundaries/states.prj',
    'coverage/irs_coverage_2022.tif',
    'truth/README.md',
  ]);
  expect(readdirSync(directory).filter((name) => name.startsWith('place'))).toEqual(['place']);
});
