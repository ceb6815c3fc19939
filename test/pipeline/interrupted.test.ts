/**
 * A build that is killed or cannot write leaves the old snapshot or the new one, never none and never a partial one.
 */
import { cpSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { randomStream } from '../../pipeline/lib/numerics/random.ts';
import { verifySnapshot } from '../../pipeline/publish/snapshot/verify.ts';
import { withTinyCache } from '../support/built-tiny.ts';
import { hashTree, run, start, temporary } from '../support/command-line.ts';
import { writeTiny } from '../support/tiny-country.ts';

const KILLS = 60;
const LANES = 2;
const FAILING_WRITES = path.resolve(import.meta.dirname, '../support/failing-writes.ts');
/** Slightly more writes than a build of the tiny country with a warm cache makes, so that some builds complete. */
const WRITES = 400;

let country = '';
/** A directory with one published snapshot and a warm cache. */
const base = inject('builtTiny');
let first = '';
const args = (out: string, updatedAt?: string) => [
  'build',
  '--country',
  country,
  '--out',
  out,
  '--jobs',
  '2',
  '--json',
  '--publish',
  ...(updatedAt ? ['--updated-at', updatedAt] : []),
];
const currentOf = (out: string) => realpathSync(path.join(out, 'current'));
const temporariesIn = (out: string) =>
  ['.', 'snapshots', 'cache'].flatMap((folder) =>
    readdirSync(path.join(out, folder)).filter((name) => name.endsWith('.tmp')),
  );

beforeAll(() => {
  country = writeTiny().directory;
  first = path.basename(currentOf(base));
});

/** Checks all snapshots in `out`, except those in `valid`, which were checked before; adds the checked ones to it. */
async function expectValid(out: string, valid: Set<string>): Promise<void> {
  for (const name of readdirSync(path.join(out, 'snapshots')).filter((entry) => !entry.startsWith('.'))) {
    if (valid.has(name)) continue;
    expect((await verifySnapshot(path.join(out, 'snapshots', name))).faults, name).toEqual([]);
    valid.add(name);
  }
  expect([...valid]).toContain(path.basename(currentOf(out)));
}

test(`after each of ${KILLS} kills at random moments the current snapshot is valid`, {
  timeout: KILLS * 20_000,
}, async () => {
  const { uniform: random } = randomStream(20261121, 'kills');
  const moments = { before: 0, during: 0, after: 0 };
  const kill = async (out: string, i: number, valid: Set<string>) => {
    const before = path.basename(currentOf(out));
    const updatedAt = new Date(Date.UTC(2030, 0, 1, 0, i)).toISOString();
    // With a timer alone, a busy machine would be hit before it writes. So two of three are killed at a given write.
    const atWrite = { MALARIA_FAIL_AT: String(1 + Math.floor(random() * WRITES)), MALARIA_FAIL_CODE: 'SIGKILL' };
    const byTimer = i % 3 === 0;
    const { child, ended } = start(args(out, updatedAt), byTimer ? {} : { env: atWrite, preload: FAILING_WRITES });
    const timer = byTimer && setTimeout(() => child.kill('SIGKILL'), random() * 2500);
    const { signal } = await ended;
    if (timer) clearTimeout(timer);
    const after = path.basename(currentOf(out));
    await expectValid(out, valid);
    if (signal === null || after !== before) moments.after += 1;
    else if (temporariesIn(out).length > 0) moments.during += 1;
    else moments.before += 1;
  };
  const lane = async (number: number) => {
    const out = temporary();
    cpSync(base, out, { recursive: true, verbatimSymlinks: true });
    const valid = new Set<string>();
    for (let i = number; i < KILLS; i += LANES) await kill(out, i, valid);
    // Files that are left behind disturb no later build, and the next build removes them.
    const { code, stderr } = await run(args(out));
    expect(code, stderr).toBe(0);
    expect(path.basename(currentOf(out))).toBe(first);
    expect(temporariesIn(out)).toEqual([]);
  };
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  // A test that never kills while files are written would prove nothing.
  expect(moments.during, JSON.stringify(moments)).toBeGreaterThan(KILLS / 8);
});

test('after a kill while stages run, the next build gives the same bytes', async () => {
  const out = withTinyCache(['validation', 'transmission']);
  const { child, ended } = start(args(out));
  child.stderr!.on('data', (data) => {
    if (/"finished",.*"stage":"ingest"/.test(String(data))) child.kill('SIGKILL');
  });
  expect((await ended).signal).toBe('SIGKILL');
  expect((await run(args(out))).code).toBe(0);
  expect(hashTree(currentOf(out))).toEqual(hashTree(currentOf(base)));
});

test('a failing write is reported in one line, the old snapshot stays current, and no temporary files are left', async () => {
  const { uniform: random } = randomStream(20261121, 'failing writes');
  const attempt = async (at: number, code: string) => {
    const out = temporary();
    cpSync(base, out, { recursive: true, verbatimSymlinks: true });
    const env = { MALARIA_FAIL_AT: String(at), MALARIA_FAIL_CODE: code };
    const ended = await run(args(out, '2031-01-01T00:00:00Z'), { env, preload: FAILING_WRITES });
    const lines = ended.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const errors = lines.filter(({ type }) => type === 'error');
    expect(errors, `write ${at}`).toEqual([
      {
        type: 'error',
        code,
        exit_code: code === 'ENOSPC' ? 3 : 2,
        message: expect.stringMatching(
          code === 'ENOSPC'
            ? /no space left on the disk; make room and run it again; what is published is unchanged \(ENOSPC\)$/
            : /permission denied; expected read and write access \(EACCES\)$/,
        ),
      },
    ]);
    expect(ended.code).toBe(errors[0].exit_code);
    expect(path.basename(currentOf(out))).toBe(first);
    expect(temporariesIn(out)).toEqual([]);
    expect(readdirSync(path.join(out, 'snapshots')), `write ${at}`).toEqual([first]);
  };
  await attempt(1, 'EACCES');
  for (const most of [10, 30, 100, 300]) {
    const at = [1, 2].map(() => 1 + Math.floor(random() * most));
    await Promise.all(at.map((n, i) => attempt(n, i === 0 ? 'ENOSPC' : 'EACCES')));
  }
});
