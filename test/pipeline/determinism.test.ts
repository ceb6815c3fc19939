/** The same inputs give the same bytes, whatever the number of threads, the directory, the locale and the cache. */
import { cpSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { hashTree, run, temporary } from '../support/command-line.ts';
import { writeTiny } from '../support/tiny-country.ts';

const current = (out: string) => realpathSync(path.join(out, 'current'));
async function build(country: string, out: string, jobs: number, env: Record<string, string>) {
  const ended = await run(['build', '--country', country, '--out', out, '--jobs', String(jobs), '--publish'], { env });
  expect(ended.stderr + ended.stdout).toContain('ublished tiny-1-');
  expect(ended.code).toBe(0);
  return current(out);
}

test('the result does not depend on jobs, time zone, language, directory or cache', async () => {
  const { directory } = writeTiny();
  const elsewhere = path.join(temporary(), 'a longer name', 'raw');
  cpSync(directory, elsewhere, { recursive: true });
  // Built with as many jobs as there are cores, and this process's own time zone and language.
  const [one, two] = [inject('builtTiny'), path.join(temporary(), 'deep', 'er')];
  const first = current(one);
  const second = await build(elsewhere, two, 1, { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' });
  const tree = hashTree(first);
  expect(Object.keys(tree).length).toBeGreaterThan(100);
  expect(hashTree(second)).toEqual(tree);
  expect(path.basename(second)).toBe(path.basename(first));

  // Published files are read-only.
  for (const name of Object.keys(tree)) expect(statSync(path.join(first, name)).mode & 0o222, name).toBe(0);

  // The snapshot, made again from the stages' cached results.
  const three = temporary();
  cpSync(path.join(one, 'cache'), path.join(three, 'cache'), { recursive: true });
  expect(hashTree(await build(directory, three, 2, { TZ: 'America/St_Johns' }))).toEqual(tree);
  // Artifacts are the same bytes too, not only the snapshot that is made from them.
  const artifacts = (out: string) =>
    Object.entries(hashTree(path.join(out, 'cache'))).filter(([name]) => !/stage\.json|latest-|lock/.test(name));
  expect(artifacts(two)).toEqual(artifacts(one));
});

test('a time without a time zone is refused, as it would be another time elsewhere', async () => {
  const { directory } = writeTiny();
  const ended = await run(['build', '--country', directory, '--out', temporary(), '--updated-at', '2026-11-21T10:00']);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/--updated-at: found 2026-11-21T10:00, expected a time with a time zone/);
});
