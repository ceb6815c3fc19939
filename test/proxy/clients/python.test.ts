/** The Python client and its examples against running proxies. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { temporary } from '../../support/command-line.ts';
import { atEndOfSuite } from '../../support/proxy/service.ts';
import { pythonWith } from '../../support/python.ts';
import { type Setting, startSetting, writeClients } from './setting.ts';

const run = promisify(execFile);
const WITH_PANDAS = pythonWith('requests, pandas');
const PYTHON = WITH_PANDAS ?? pythonWith('requests');
const why = (packages: string) => ` (skipped: apt-get install ${packages})`;

let setting: Setting;
let shipped = '';
const atEnd = atEndOfSuite();
beforeAll(async () => {
  if (PYTHON === undefined) return;
  shipped = writeClients();
  setting = await startSetting(inject('builtTiny'), atEnd);
});

const python = (args: string[], more: Record<string, string> = {}) => {
  const { PATH = '', HOME = '' } = process.env;
  const own = { PATH, HOME, PYTHONPATH: path.join(shipped, 'python'), PYTHONDONTWRITEBYTECODE: '1' };
  return run(PYTHON!, args, { env: { ...own, ...more }, timeout: 100_000 });
};
const example = (name: string, ...args: string[]) =>
  python([path.join(shipped, 'python/examples', `${name}.py`), setting.env.URL!, ...args], {
    MALARIA_API_KEY: setting.env.KEY!,
  });

test.skipIf(!PYTHON)(`the checks in checks.py pass${PYTHON ? '' : why('python3-requests')}`, async () => {
  const { stderr } = await python([path.join(import.meta.dirname, 'checks.py')], setting.env).catch((error) => error);
  expect(stderr).toMatch(/\nOK( \(skipped=\d\))?\n$/);
  const { seen } = setting;
  // No request is repeated if the wait is longer than allowed; waits of zero seconds do not cause a storm of requests.
  for (const fault of ['limited-long', 'overflow', 'negative', 'spent-short', 'moved'])
    expect(seen[fault]).toHaveLength(1);
  expect(seen.zeros).toHaveLength(3);
  expect(seen.pass!.map((headers) => 'if-none-match' in headers)).toEqual([false, true]);
  expect(seen.pass![0]).toMatchObject({ 'user-agent': expect.stringMatching(/^malaria-risk-python\/\d/) });
});

const testExample = (title: string, work: () => Promise<void>) =>
  test.skipIf(!WITH_PANDAS)(title + (WITH_PANDAS ? '' : why('python3-requests python3-pandas')), work);

testExample('example: a map', async () => {
  const out = path.join(temporary(), 'map.svg');
  expect((await example('national_map', out)).stdout).toMatch(/^4 areas, 2021-12, .*, 2 requests/);
  const svg = readFileSync(out, 'utf8');
  expect(svg.match(/<path /g)).toHaveLength(4);
  expect(svg).not.toContain('no score');
});

testExample('example: an alert distinguishes a revision from news', async () => {
  const folder = temporary();
  const first = await example('alert', folder);
  expect(first.stderr).toMatch(/, 1 requests\n$/);
  const script = `
import runpy, pandas
alert = runpy.run_path(${JSON.stringify(path.join(shipped, 'python/examples/alert.py'))})
table = lambda **levels: pandas.DataFrame([dict(lga_code=code, lga=code, state_code="NA", period=period, level=level)
    for code, months in levels.items() for period, level in months.items()])
before = table(news={"2022-01": "low"}, revised={"2022-01": "high"}, both={"2022-01": "low"})
now = table(news={"2022-01": "low", "2023-01": "high"}, revised={"2022-01": "low", "2023-01": "high"}, same={"2022-01": "low", "2023-01": "low"},
    both={"2022-01": "very_low", "2023-01": "high"})
causes = lambda *args: alert["rises"](*args).set_index("lga_code")["cause"].to_dict()
print(causes(now, "v2", before, "v1"))
print(causes(now, "v1", None, ""))
print(causes(now, "v2", now, "v1"))
flat = table(news={"2022-01": "low", "2023-01": "low"})
print(causes(table(news={"2022-01": "low", "2023-01": "high"}), "v2", flat, "v1"))
`;
  expect((await python(['-c', script])).stdout.trim().split('\n')).toEqual([
    "{'both': 'news', 'news': 'news', 'revised': 'revision'}",
    "{'both': 'first run', 'news': 'first run', 'revised': 'first run'}",
    "{'both': 'known', 'news': 'known', 'revised': 'known'}",
    "{'news': 'revision'}",
  ]);
  expect((await example('alert', folder)).stdout).not.toMatch(/news|revision|first run/);
});

testExample('example: a join by name and by code reports what did not match', async () => {
  const folder = temporary();
  const own = path.join(folder, 'own.csv');
  writeFileSync(own, 'state,lga,beds\nAbia,place 1,10\nAB,Place 2,20\nAdamawa,Place 1,30\n');
  const byName = await example('join', own, path.join(folder, 'out.csv'));
  expect(byName.stdout).toContain('2 rows joined');
  expect(byName.stdout).toContain("1 rows matched no area\n  no areas of AD are named 'Place 1'\n");
  expect(byName.stdout).toContain('2 areas without a row');
  writeFileSync(own, 'lga_code,beds\nNG001001,10\nNG9,1\n');
  expect((await example('join', own, path.join(folder, 'out.csv'))).stdout).toContain("no area has the code 'NG9'");
  expect(readFileSync(path.join(folder, 'out.csv'), 'utf8')).toMatch(/^lga_code,beds,state_code,.*\nNG001001,10,AB,/);
});
