import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { writeTiny } from '../../../support/tiny-country.ts';

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
  const log = readFileSync(path.join(out, 'releases', version, 'build.log'), 'utf8')
    .trim()
    .split('\n');
  const events = log.map((line) => JSON.parse(line));
  expect(events).toContainEqual(expect.objectContaining({ type: 'cached', stage: 'survey' }));
  expect(events.at(-1)).toMatchObject({ type: 'finished', stage: 'snapshot', time: expect.stringMatching(/Z$/) });

  const { seconds } = events.at(-1);
  expect(await run('plan --updated-at 2031-01-01T00:00:00Z', ...country)).toContain(
    `Expected to take about ${Math.ceil(seconds)} s, from earlier runs here.`,
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
