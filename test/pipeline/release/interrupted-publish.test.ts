/** Publications that are killed, meet a full disk, or run at the same time. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { clearUnfinished } from '../../../pipeline/release/candidate.ts';
import { currentVersion } from '../../../pipeline/release/current.ts';
import { publishVersion } from '../../../pipeline/release/publish.ts';
import { publishAlone } from '../../../pipeline/release/publish-lock.ts';
import { readReleases, releaseOutcome } from '../../../pipeline/release/release-records.ts';
import { buildHere, copyBuild, publishedTiny } from '../../support/built-tiny.ts';
import { run } from '../../support/command-line.ts';
import { writeTiny } from '../../support/tiny-country.ts';

/** One more than a publication makes: at the last one it is not killed. */
const WRITES = 40;
const FAILING_WRITES = path.resolve(import.meta.dirname, '../../support/failing-writes.ts');
const { directory: country } = writeTiny();
/** The published tiny country with a later candidate. */
let base = '';
const first = currentVersion(inject('builtTiny'))!;
let second = '';
beforeAll(async () => {
  base = publishedTiny();
  second = (await buildHere(country, base, { updatedAt: '2031-01-01T00:00:00Z' })).model_version;
});
const copy = () => copyBuild(base);

test('concurrent publications run one after the other; one that waits too long is asked to try again', async () => {
  const out = copy();
  const third = (await buildHere(country, out, { updatedAt: '2031-01-02T00:00:00Z' })).model_version;
  const ended = await Promise.all([second, third].map((version) => run(['publish', version, '--out', out])));
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  const releases = readReleases(out);
  expect(releases.map(({ status }) => status)).toEqual(['published', 'published', 'published']);
  // Each was compared with the version that it replaced.
  expect(releases.map(({ replaces }) => replaces)).toEqual([null, first, releases[1]!.model_version]);
  expect(currentVersion(out)).toBe(releases[2]!.model_version);
  await publishAlone(out, () =>
    expect(publishAlone(out, async () => {}, 10)).rejects.toThrow(/try again when it is done/),
  );
});

test('killed at any of its writes, publish leaves the old version or the new, and the record shows which', async () => {
  const killAt = async (at: number) => {
    const out = copy();
    const env = { MALARIA_FAIL_AT: String(at), MALARIA_FAIL_CODE: 'SIGKILL' };
    const { signal } = await run(['publish', '--out', out], { env, preload: FAILING_WRITES });
    const current = currentVersion(out)!;
    const last = readReleases(out).at(-1)!;
    expect([first, second]).toContain(current);
    if (last.number === 2) expect(releaseOutcome(last, current)).toBe(current === second ? 'published' : 'abandoned');
    // Remaining temporary files do not prevent another publication.
    await publishVersion(out);
    expect(currentVersion(out)).toBe(second);
    const ended = readReleases(out).map(({ status, model_version }) => `${model_version} ${status}`);
    expect(ended.filter((line) => line === `${second} published`)).toHaveLength(1);
    expect(ended.filter((line) => line.endsWith('started'))).toEqual([]);
    clearUnfinished(out);
    expect(readdirSync(path.join(out, 'releases')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    return `${signal ?? 'done'}, ${current === first ? 'old' : 'new'}, ${last.number} ${last.status}`;
  };
  const seen: string[] = [];
  for (let at = 1; at <= WRITES; at += 2) seen.push(...(await Promise.all([killAt(at), killAt(at + 1)])));
  // The test proves nothing unless it hits the moments in between.
  expect([...new Set(seen)]).toEqual([
    'SIGKILL, old, 1 published',
    'SIGKILL, old, 2 started',
    'SIGKILL, new, 2 started',
    'done, new, 2 published',
  ]);
});

test('on a full disk publish prints one line and changes nothing; a later try succeeds', async () => {
  const fillAt = async (at: number) => {
    const out = copy();
    const env = { MALARIA_FAIL_AT: String(at), MALARIA_FAIL_CODE: 'ENOSPC' };
    const { code, stderr } = await run(['publish', '--out', out], { env, preload: FAILING_WRITES });
    expect(stderr).toMatch(/^malaria-risk: .*no space left on the disk.*\n$/);
    expect(code).toBe(3);
    expect(currentVersion(out)).toBe(first);
    await publishVersion(out);
    expect(currentVersion(out)).toBe(second);
  };
  await Promise.all([fillAt(1), fillAt(4)]);
});
