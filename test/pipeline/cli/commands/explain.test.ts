import { beforeAll, expect, test } from 'vitest';
import { buildHere } from '../../../support/built-tiny.ts';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { writeTiny } from '../../../support/tiny-country.ts';

const out = temporary();
let version = '';
let explain: (...args: string[]) => ReturnType<typeof runHere>;
beforeAll(async () => {
  // Cases of one LGA beside those of a state.
  const { snapshot } = await buildHere(writeTiny().directory, out);
  version = snapshot;
  explain = (...args) => runHere(['explain', ...args, '--out', out, '--snapshot', snapshot]);
});

test('a score is followed back over the stages to its season, its surveys with their shares, and rows of files', async () => {
  const [text, json] = await Promise.all([explain('place 1', '2021-09'), explain('NG001001', '2021-09', '--json')]);
  expect(text.stdout).toMatch(/^survey_clusters|^surveys /m);
  const steps = JSON.parse(json.stdout);
  const [answer, unrounded, season, , shares, surveys, rows] = Object.values<any[]>(steps);
  expect(answer![0]).toMatchObject({ period: '2021-09', kind: 'estimated' });
  expect(unrounded![0].score).toBeCloseTo(answer![0].score, 4);
  expect(season![0]).toMatchObject({ month: 9 });
  const sum = shares!.reduce((total, { share }) => total + share, 0);
  expect(shares!.length === 0 || Math.abs(sum - 1) < 0.01).toBe(true);
  expect(surveys).toBeDefined();
  // Six clusters of two rounds with this LGA, and one by another test.
  expect(rows).toContainEqual({ source: 'surveys', file: 'surveys.csv', rows: 7, lines: '2, 3, 4, 14, 15, 16, 26' });
});

test('what is not there is an error, and a forecast of cases rests on months of the record', async () => {
  const [month, area] = await Promise.all([explain('NG001001', '2031-01'), explain('Nowhere', '2021-09')]);
  expect([month.code, month.stderr]).toEqual([
    2,
    expect.stringMatching(/found no score of NG001001 in 2031-01, expected a month of .*, \d{4}-\d\d to \d{4}-\d\d\n/),
  ]);
  expect([area.code, area.stderr]).toEqual([2, expect.stringContaining('--lga: found Nowhere')]);
  const [upper, noCache] = await Promise.all([
    explain('AB', '2021-09'),
    runHere(['explain', 'NG001001', '2021-09', '--snapshot', version, '--out', temporary()]),
  ]);
  expect(upper.stderr).toMatch(/--lga: found AB, which is of the upper level, expected perhaps NG001001 .*, NG001002 /);
  expect([noCache.code, noCache.stdout]).toEqual([
    0,
    expect.stringContaining('not there, or not in the cache (--out /'),
  ]);
});
