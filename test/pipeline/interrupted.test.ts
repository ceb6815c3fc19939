/** A build that is killed, or that cannot write, leaves the old snapshot or the new: never neither, never half of one. */
import { cpSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { randomStream } from '../../pipeline/numerics/random.ts';
import { verifySnapshot } from '../../pipeline/publish/snapshot/verify.ts';
import { withTinyCache } from '../support/built-tiny.ts';
import { hashTree, run, start, temporary } from '../support/command-line.ts';
import { writeTiny } from '../support/tiny-country.ts';

const KILLS = 60;
const LANES = 2;
const FAILING_WRITES = path.resolve(import.meta.dirname, '../support/failing-writes.ts');
/** A little more than what a build of the tiny country with a warm cache writes, so that some end before. */
const WRITES = 400;

let country = '';
/** A directory with one published snapshot and a warm cache. */
const base = inject('builtTiny');
let first = '';
const args = (out: string, updatedAt?: string) => [
  ...['build', '--country', country, '--out', out, '--jobs', '2', '--json', '--publish'],
  ...(updatedAt ? ['--updated-at', updatedAt] : []),
];
const currentOf = (out: string) => realpathSync(path.join(out, 'current'));
const aside = (out: string) =>
  ['.', 'snapshots', 'cache'].flatMap((folder) =>
    readdirSync(path.join(out, folder)).filter((name) => name.endsWith('.tmp')),
  );

beforeAll(() => {
  country = writeTiny().directory;
  first = path.basename(currentOf(base));
});

/** Checks everything published in `out`; what was found sound once need not be read again. */
async function expectSound(out: string, sound: Set<string>): Promise<void> {
  for (const name of readdirSync(path.join(out, 'snapshots')).filter((entry) => !entry.startsWith('.'))) {
    if (sound.has(name)) continue;
    expect((await verifySnapshot(path.join(out, 'snapshots', name))).faults, name).toEqual([]);
    sound.add(name);
  }
  expect([...sound]).toContain(path.basename(currentOf(out)));
}

test(`${KILLS} kills at random moments: as many readable snapshots`, { timeout: KILLS * 20_000 }, async () => {
  const { uniform: random } = randomStream(20261121, 'kills');
  const moments = { before: 0, during: 0, after: 0 };
  const kill = async (out: string, i: number, sound: Set<string>) => {
    const before = path.basename(currentOf(out));
    const updatedAt = new Date(Date.UTC(2030, 0, 1, 0, i)).toISOString();
    // By the clock, a busy machine is hit before it writes: two of three are killed at a write, whenever that comes.
    const atWrite = { MALARIA_FAIL_AT: String(1 + Math.floor(random() * WRITES)), MALARIA_FAIL_CODE: 'SIGKILL' };
    const byClock = i % 3 === 0;
    const { child, ended } = start(args(out, updatedAt), byClock ? {} : { env: atWrite, preload: FAILING_WRITES });
    const timer = byClock && setTimeout(() => child.kill('SIGKILL'), random() * 2500);
    const { signal } = await ended;
    if (timer) clearTimeout(timer);
    const after = path.basename(currentOf(out));
    await expectSound(out, sound);
    if (signal === null || after !== before) moments.after += 1;
    else if (aside(out).length > 0) moments.during += 1;
    else moments.before += 1;
  };
  const lane = async (number: number) => {
    const out = temporary();
    cpSync(base, out, { recursive: true, verbatimSymlinks: true });
    const sound = new Set<string>();
    for (let i = number; i < KILLS; i += LANES) await kill(out, i, sound);
    // What is left behind disturbs no later build, and goes with it.
    const { code, stderr } = await run(args(out));
    expect(code, stderr).toBe(0);
    expect(path.basename(currentOf(out))).toBe(first);
    expect(aside(out)).toEqual([]);
  };
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  // A test that never kills while files are written would prove nothing.
  expect(moments.during, JSON.stringify(moments)).toBeGreaterThan(KILLS / 8);
});

test('killed while stages run, the next build has the same bytes', async () => {
  const out = withTinyCache(['validation', 'transmission']);
  const { child, ended } = start(args(out));
  child.stderr!.on('data', (data) => {
    if (/"finished",.*"stage":"ingest"/.test(String(data))) child.kill('SIGKILL');
  });
  expect((await ended).signal).toBe('SIGKILL');
  expect((await run(args(out))).code).toBe(0);
  expect(hashTree(currentOf(out))).toEqual(hashTree(currentOf(base)));
});

test('writes that fail at any moment: one clear line, the old snapshot in place, nothing left aside', async () => {
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
        ...{ type: 'error', code, exit_code: code === 'ENOSPC' ? 3 : 2 },
        message: expect.stringMatching(
          code === 'ENOSPC'
            ? /no space left on the disk; make room and run it again; what is published is unchanged \(ENOSPC\)$/
            : /permission denied; expected read and write access \(EACCES\)$/,
        ),
      },
    ]);
    expect(ended.code).toBe(errors[0].exit_code);
    expect(path.basename(currentOf(out))).toBe(first);
    expect(aside(out)).toEqual([]);
    expect(readdirSync(path.join(out, 'snapshots')), `write ${at}`).toEqual([first]);
  };
  await attempt(1, 'EACCES');
  for (const most of [10, 30, 100, 300]) {
    const at = [1, 2].map(() => 1 + Math.floor(random() * most));
    await Promise.all(at.map((n, i) => attempt(n, i === 0 ? 'ENOSPC' : 'EACCES')));
  }
});
