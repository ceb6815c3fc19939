import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { expectedDuration, type PlannedStage } from '../../../../pipeline/engine/plan.ts';
import type { Stage } from '../../../../pipeline/engine/stage.ts';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { writeTiny } from '../../../support/tiny-country.ts';

test('a stage is expected to start when those that it reads are done, and to wait for a free job', () => {
  const reads = { a: [], b: ['a/x'], c: ['a/x'], d: ['b/y'], e: [] };
  const stages = Object.entries(reads).map(([name, inputs]) => ({ name, inputs }) as unknown as Stage);
  const planned = stages.map(({ name }, i): PlannedStage => {
    return { stage: name, status: 'run', causes: [], seconds: [10, 20, 40, 15, 5][i]! };
  });
  const expected = (jobs: number) => expectedDuration(planned, stages, jobs);
  expect(expected(1)).toEqual({ total: 90, elapsed: 90 });
  expect(expected(8)).toEqual({ total: 90, elapsed: 50 });
  planned[1]!.seconds = null;
  expect(expected(2)).toBeNull();
});

test('a build up to a stage, a quiet one with its log, a plan with durations, and the history of an LGA', async () => {
  const out = temporary();
  const { directory } = writeTiny();
  const run = async (command: string, ...args: string[]) => {
    const { code, stdout, stderr } = await runHere([...command.split(' '), ...args, '--out', out]);
    expect([code, stderr], command).toEqual([0, '']);
    return stdout;
  };
  const country = ['--country', directory];
  expect(await run('build --until survey --quiet', ...country)).toBe(
    'Ran the stages up to survey; there is no candidate\n',
  );
  expect(existsSync(path.join(out, 'cache/risk'))).toBe(false);
  expect(existsSync(path.join(out, 'snapshots'))).toBe(false);

  const built = await run('build --quiet', ...country);
  expect(built).toMatch(/^Built tiny-/);
  const version = built.split(' ')[1]!;
  const logFile = path.join(out, 'releases', version, 'build.log');
  const log = readFileSync(logFile, 'utf8');
  const events = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events).toContainEqual(expect.objectContaining({ type: 'cached', stage: 'survey' }));
  expect(events.at(-1)).toMatchObject({ type: 'finished', stage: 'snapshot', time: expect.stringMatching(/Z$/) });

  expect(events.map(({ type }) => type)).not.toContain('progress');
  await run('build --quiet', ...country);
  expect(readFileSync(logFile, 'utf8'), 'the log of a build is not replaced by one that finds it done').toBe(log);

  const { seconds } = events.at(-1);
  expect(await run('plan --jobs 2 --updated-at 2031-01-01T00:00:00Z', ...country)).toContain(
    `${seconds.toFixed(1)} s in all, and about ${Math.ceil(seconds)} s with --jobs 2, as stages wait for others.`,
  );
  const history = async (area: string) =>
    JSON.parse(
      (
        await runHere([
          'show',
          'history',
          area,
          'place 1',
          '--json',
          '--snapshot',
          path.join(out, 'snapshots', version),
        ])
      ).stdout || '[]',
    );
  expect((await history('--lga'))[0]).toMatchObject({ months: expect.any(Array), kind: 'estimated' });
  expect(await history('--state')).toEqual([]);
});
