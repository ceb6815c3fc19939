import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { showProgress } from '../../../../pipeline/cli/terminal/progress.ts';
import { STAGES as TABLE } from '../../../../pipeline/stages.ts';
import { withTinyCache } from '../../../support/built-tiny.ts';
import { runHere } from '../../../support/run-here.ts';
import { writeTiny } from '../../../support/tiny-country.ts';

const STAGES = ['ingest', 'zonal', 'snapshot'];
function screen(isTTY: boolean, json = false) {
  const written: string[] = [];
  const clock = { seconds: 0 };
  const own = { isTTY, columns: 60, write: (text: string) => written.push(text) };
  const display = showProgress(STAGES, json, own, () => clock.seconds);
  return { display, written, clock };
}

test('on a terminal one line shows the stage, the share done and the time left, from how long stages took before', () => {
  const { display, written, clock } = screen(true);
  display.onEvent({ type: 'expected', seconds: { ingest: 2, zonal: 6, snapshot: 12 } });
  display.onEvent({ type: 'started', stage: 'ingest', causes: ['never run here'] });
  clock.seconds = 2;
  display.onEvent({ type: 'finished', stage: 'ingest', seconds: 2 });
  display.onEvent({ type: 'started', stage: 'zonal', causes: [] });
  clock.seconds = 5;
  display.onEvent({ type: 'progress', stage: 'zonal', share: 0.5, what: 'towns' });
  // 2 + 3 of 20 s of work are done after 5 s: 15 s are left.
  expect(written.at(-1)).toBe('\r\x1b[2K25% about 15 s left | zonal 50% towns');
  expect(written).toContain('\r\x1b[2K  ingest        done in 2.0 s\n');
  display.end();
  expect(written.at(-1)).toBe('\r\x1b[2K');
});

test('unchanged stages do not count as work', () => {
  const { display, written, clock } = screen(true);
  display.onEvent({ type: 'expected', seconds: { ingest: 2, zonal: 6, snapshot: 12 } });
  display.onEvent({ type: 'cached', stage: 'ingest' });
  display.onEvent({ type: 'cached', stage: 'zonal' });
  display.onEvent({ type: 'started', stage: 'snapshot', causes: [] });
  clock.seconds = 3;
  display.onEvent({ type: 'progress', stage: 'snapshot', share: 0.25 });
  expect(written.at(-1)).toBe('\r\x1b[2K25% about 9 s left | snapshot 25%');
});

test('a line is never wider than the terminal', () => {
  const { display, written } = screen(true);
  for (const stage of STAGES) {
    display.onEvent({ type: 'started', stage, causes: [] });
    display.onEvent({ type: 'progress', stage, share: 0.5, what: 'something with a long name' });
  }
  expect(written.at(-1)!.replace('\r\x1b[2K', '').length).toBeLessThan(60);
});

test('elsewhere there is a line when a stage starts and when it ends, and nothing in between', () => {
  const { display, written } = screen(false);
  display.onEvent({ type: 'expected', seconds: {} });
  display.onEvent({ type: 'cached', stage: 'ingest' });
  display.onEvent({ type: 'started', stage: 'zonal', causes: ['a', 'b', 'c', 'd'] });
  for (let i = 0; i < 50; i++) display.onEvent({ type: 'progress', stage: 'zonal', share: i / 50 });
  display.onEvent({ type: 'finished', stage: 'zonal', seconds: 1.25 });
  display.end();
  expect(written).toEqual([
    '  ingest        unchanged\n',
    '  zonal         runs: a; b; c; and 1 more (plan --why)\n',
    '  zonal         done in 1.3 s\n',
  ]);
});

test('--json writes one event per line, and the result to standard output', async () => {
  const { directory } = writeTiny();
  const out = withTinyCache();
  rmSync(path.join(out, 'cache/survey'), { recursive: true });
  const { stdout, stderr, code } = await runHere(['build', '--country', directory, '--out', out, '--json']);
  expect(code).toBe(0);
  const events = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const seconds = expect.objectContaining({ ingest: expect.any(Number) });
  expect(events[0]).toEqual({ type: 'expected', time: expect.stringMatching(/^\d{4}-.*Z$/), seconds });
  const stages = (which: string) => events.filter(({ type }) => type === which).map(({ stage }) => stage);
  expect(stages('finished')).toEqual(['survey', 'snapshot']);
  expect(stages('cached')).toHaveLength(TABLE.length - 1);
  expect(JSON.parse(stdout)).toMatchObject({ already: false, model_version: expect.stringMatching(/^tiny-1-/) });
});
