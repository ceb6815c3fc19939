/** Builds of one country by several processes in one directory. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withTinyCache } from '../../support/built-tiny.ts';
import { run } from '../../support/command-line.ts';
import { writeTiny } from '../../support/tiny-country.ts';

test('two builds of one country in parallel processes both succeed with one snapshot', async () => {
  // The longest stages are in the cache: the race is for the others.
  const shared = withTinyCache(['validation', 'transmission']);
  const args = ['build', '--country', writeTiny().directory, '--out', shared, '--jobs', '2', '--json'];
  const [one, two, pruned] = await Promise.all([
    run(args),
    run(args),
    new Promise((resolve) => setTimeout(resolve, 900)).then(() => run(['prune', '--out', shared])),
  ]);
  expect([one.code, two.code], one.stderr + two.stderr).toEqual([0, 0]);
  const [a, b] = [one, two].map(({ stdout }) => JSON.parse(stdout));
  expect(a.model_version).toBe(b.model_version);
  expect(readdirSync(path.join(shared, 'snapshots'))).toEqual([a.model_version]);
  // Pruning disturbed neither build, whether it came too early, too late or in between.
  if (pruned.code !== 0)
    expect(pruned.stderr).toMatch(/a build is running there; prune when it is done|found no cache/);
  expect((await run(['prune', '--out', shared])).stdout).toMatch(/^Removed 0 entries/);
});
