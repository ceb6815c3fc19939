/** Exit codes and error messages, for schedulers and scripts. */
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { CommanderError } from 'commander';
import { describe, expect, inject, test } from 'vitest';
import { describeError } from '../../../../pipeline/cli/terminal/exit-codes.ts';
import { BadInput } from '../../../../pipeline/lib/bad-input.ts';
import { Stopped, TryAgain, UsageError } from '../../../../pipeline/lib/errors.ts';
import { withConnection } from '../../../../pipeline/lib/tables/duckdb.ts';
import { buildHere, publishedTiny } from '../../../support/built-tiny.ts';
import { run, start, temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { sourceIn, type TinyCountry, writeTiny } from '../../../support/tiny-country.ts';

const system = (code: string) => Object.assign(new Error(`${code}: it says`), { code, path: '/there' });

describe('each error has its exit code, code and message', () => {
  test.each([
    [
      new BadInput({ file: 'a.csv', where: 'row 3', found: 'x', expected: 'y' }),
      2,
      'BAD_INPUT',
      'a.csv, row 3: found x, expected y',
    ],
    [new UsageError('no such version'), 2, 'USAGE', 'no such version'],
    [
      new CommanderError(1, 'commander.unknownOption', "error: unknown option '--x'"),
      2,
      'USAGE',
      "unknown option '--x'",
    ],
    [new Stopped('it takes a reason'), 1, 'STOPPED', 'it takes a reason'],
    [new TryAgain('a lock is held'), 3, 'TRY_AGAIN', 'a lock is held'],
    [system('EACCES'), 2, 'EACCES', '/there: permission denied; expected read and write access (EACCES)'],
    [new TypeError('x is undefined\nmore'), 4, 'FAULT', 'x is undefined'],
    [system('ESRCH'), 4, 'FAULT', 'ESRCH: it says'],
  ])('%s', (error, exit_code, code, message) => {
    expect(describeError(error)).toMatchObject({ type: 'error', exit_code, code, message });
  });
  test('a full disk is a temporary failure', () => {
    expect(describeError(system('ENOSPC'))).toMatchObject({ exit_code: 3, code: 'ENOSPC' });
  });
});

test('--json reports the parts of a bad input, also from within a stage', async () => {
  const { directory } = writeTiny();
  const out = temporary();
  const outcome = async (...more: string[]) => {
    const { code, stderr } = await run([
      'build',
      '--country',
      directory,
      '--out',
      out,
      '--unpinned',
      '--json',
      ...more,
    ]);
    return [code, JSON.parse(stderr.trim().split('\n').at(-1)!)];
  };
  writeFileSync(path.join(directory, 'surveys.csv'), 'survey_year\n2018\n');
  expect(await outcome()).toEqual([
    2,
    {
      type: 'error',
      code: 'BAD_INPUT',
      exit_code: 2,
      file: expect.stringContaining('surveys.csv'),
      where: expect.any(String),
      found: expect.any(String),
      expected: expect.any(String),
      message: expect.stringMatching(/surveys\.csv.*: found .*, expected /),
    },
  ]);
  rmSync(path.join(directory, 'surveys.csv'));
  expect(await outcome()).toEqual([2, expect.objectContaining({ code: 'BAD_INPUT', file: 'surveys.csv' })]);
  expect(await outcome('--bogus')).toEqual([
    2,
    { type: 'error', code: 'USAGE', exit_code: 2, message: "unknown option '--bogus'" },
  ]);
});

describe('faults of a country are bad input, never a bug in the program', () => {
  const cut = (file: string, id: string, last: string) => (country: TinyCountry) => {
    const [head, ...rows] = String(country.files[file]).trim().split('\n');
    const kept = rows.filter((row) => row.split(',')[1]! <= last);
    country.files[file] = `${[head, ...kept].join('\n')}\n`;
    Object.assign(sourceIn(country, id), {
      span: { first: '2018-01', last },
      files: [{ path: file, rows: kept.length }],
    });
  };
  test.each<[string, (country: TinyCountry) => void, RegExp]>([
    ['rain of eleven months', cut('climate.csv', 'climate', '2018-11'), /11 months of rain, expected every month/],
    [
      'outlines whose area changes too much by simplification',
      ({ files, model }) => {
        // The western edge bends in by 55 m.
        for (const name of ['lgas.geojson', 'states.geojson']) {
          const { features, ...rest } = JSON.parse(String(files[name]));
          features[0].geometry.coordinates[0].splice(4, 0, [3.0005, 4.5]);
          files[name] = JSON.stringify({ features, ...rest });
        }
        model.parameters.boundaries = { tolerance_m: 300, max_area_change: 0 };
      },
      /model\.json, parameters\.boundaries.*area changed.*which a tolerance_m of 150 gives/,
    ],
    [
      'a name with a NUL in it',
      ({ model }) => {
        model.name = 'a\0b';
      },
      /model\.json, \/name: found "a.*b", expected .*must match pattern/,
    ],
    [
      'a name that is too long for a file',
      ({ model }) => {
        model.country = 'x'.repeat(300);
      },
      /name is too long/,
    ],
  ])('%s', async (_, change, message) => {
    const error = await buildHere(writeTiny(change).directory).then(
      () => null,
      (thrown: Error) => thrown,
    );
    expect(describeError(error!)).toMatchObject({ exit_code: 2, message: expect.stringMatching(message) });
  });
});

test('a disk that fills up while DuckDB writes is reported as full, too', async () => {
  const written = withConnection((db) => db.run("COPY (FROM range(100000)) TO '/dev/full' (FORMAT csv)"));
  const error = await written.catch((thrown: Error) => thrown);
  expect(describeError(error as Error)).toMatchObject({ exit_code: 3, code: 'ENOSPC' });
});

test('an empty reason is refused', async () => {
  const { directory } = writeTiny();
  const attempts = await Promise.all([
    runHere(['publish', '--approve', ' ', '--out', temporary()]),
    runHere(['catalog', 'update', 'surveys', '--country', directory, '--out', temporary(), '--accept', '']),
  ]);
  for (const { code, stderr } of attempts)
    expect([code, stderr]).toEqual([2, expect.stringContaining('expected some text')]);
});

test('a build that is stopped by a signal ends with the exit code of a temporary failure', async () => {
  const { directory } = writeTiny();
  const { child, ended } = start(['build', '--country', directory, '--out', temporary()]);
  child.stderr!.once('data', () => child.kill('SIGTERM'));
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(3);
  expect(stderr).toMatch(
    /malaria-risk: stopped by SIGTERM; what is published is unchanged, and a build goes on [^\n]*\n$/,
  );
});

test('plan --exit-code exits with 0 if there is nothing to do, 1 if there is', async () => {
  const { directory } = writeTiny();
  const plan = (out: string) => runHere(['plan', '--country', directory, '--out', out, '--exit-code']);
  const [done, never, usual] = await Promise.all([
    plan(publishedTiny()),
    plan(temporary()),
    runHere(['plan', '--country', directory, '--out', temporary()]),
  ]);
  expect([done.code, never.code, usual.code]).toEqual([0, 1, 0]);
});

test('a statement that DuckDB refuses is a usage error', async () => {
  const { code, stderr } = await runHere(['query', 'FROM nowhere', '--out', inject('builtTiny')]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^malaria-risk: .*nowhere/)]);
});

test('a reader of the output that has enough is no failure', async () => {
  const command = `set -o pipefail; "${process.execPath}" pipeline/cli/malaria-risk.js query`;
  const sql = 'SELECT * FROM range(1000000), risk_lgas LIMIT 500000';
  const snapshot = path.join(inject('builtTiny'), 'current');
  const { stdout, stderr } = await promisify(execFile)('bash', [
    '-c',
    `${command} "${sql}" --csv --snapshot ${snapshot} | head -1`,
  ]);
  expect([stdout.split(',')[0], stderr]).toEqual(['range', '']);
});
