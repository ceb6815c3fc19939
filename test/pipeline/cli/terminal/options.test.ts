import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseFileToWrite } from '../../../../pipeline/cli/terminal/options.ts';
import { temporaryDirectory } from '../../rasters.ts';

const CLI = resolve(import.meta.dirname, '../../../../pipeline/cli/program.ts');

test('a file to write may be new, in a new folder, or exist; a directory and a path below a file are refused', () => {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  mkdirSync(at('folder'));
  writeFileSync(at('old.csv'), 'old');
  for (const name of ['new.csv', 'new/scores.csv', 'old.csv']) expect(parseFileToWrite(at(name))).toBe(at(name));
  expect(() => parseFileToWrite(at('folder'))).toThrow('found a directory, expected a file to write');
  expect(() => parseFileToWrite(at('old.csv/scores.csv'))).toThrow(`${at('old.csv')} is a file, not a directory`);
});

test.each([
  ['evaluate risk', '--out', '--country', 'none', '--folds', 'none.csv'],
  ['evaluate risk', '--draws', '--country', 'none', '--folds', 'none.csv'],
  ['evaluate truth', '--out'],
  ['evaluate forecasts', '--out', '--country', 'none'],
  ['zonal', '--out', '--polygons', 'none', '--id', 'none', '--raster', 'none'],
  ['diff', '--html', 'none', 'none'],
  ['review', '--html', 'none'],
])('%s %s: a directory is refused before anything is read', (command, option, ...others) => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [CLI, ...command.split(' '), option, temporaryDirectory(), ...others],
    {
      encoding: 'utf8',
    },
  );
  expect(stderr).toContain('found a directory, expected a file to write');
  expect(status).toBe(2);
});
