/** The Python client, the README's example and the scripts against running proxies. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { temporary } from '../../support/command-line.ts';
import { atEndOfSuite } from '../../support/proxy/service.ts';
import { PYTHON, TITLE_WITHOUT_PYTHON } from './languages.ts';
import { OWN_CSV, ofVersion, readmeExample, type Setting, startSetting, writeClients } from './setting.ts';

let setting: Setting;
let shipped = '';
const atEnd = atEndOfSuite();
beforeAll(async () => {
  if (PYTHON === undefined) return;
  shipped = await writeClients();
  setting = await startSetting(inject('builtTiny'), atEnd);
});

const python = (args: string[], more: Record<string, string> = {}) => {
  const { PATH = '', HOME = '' } = process.env;
  const own = { PATH, HOME, PYTHONPATH: path.join(shipped, 'python'), PYTHONDONTWRITEBYTECODE: '1', MPLBACKEND: 'Agg' };
  return promisify(execFile)(PYTHON!, args, { cwd: temporary(), env: { ...own, ...more }, timeout: 100_000 });
};
const example = (name: string, ...args: string[]) =>
  python([path.join(shipped, 'python/examples', `${name}.py`), setting.env.URL!, ...args], {
    MALARIA_API_KEY: setting.env.KEY!,
  });
const testPython = (title: string, work: () => Promise<void>) =>
  test.skipIf(!PYTHON)(title + TITLE_WITHOUT_PYTHON, work);

testPython('the checks in checks.py pass', async () => {
  const { stderr } = await python([path.join(import.meta.dirname, 'checks.py')], setting.env).catch((error) => error);
  expect(stderr).toMatch(/\nOK\n$/);
  const { seen } = setting;
  for (const fault of ['limited-long', 'moved']) expect(seen[fault]).toHaveLength(1);
  expect(seen.zeros).toHaveLength(4);
  const version = path.basename(seen.pass![1]!.path.replace('/places', ''));
  expect(seen.pass!.map(({ path: sent }) => sent)).toEqual(ofVersion(version));
  expect(seen.pass![0]!.agent).toMatch(/^malaria-risk-python\/\d/);
});

testPython('the README’s example runs', async () => {
  const folder = temporary();
  const file = path.join(folder, 'own.csv');
  writeFileSync(file, OWN_CSV);
  const script = readmeExample(shipped, 'python', setting.env.URL!).replace('own.csv', file);
  const show = 'print(len(history) > 4, len(scores), list(joined["lga_code"]), list(joined["score"].notna()))';
  const { stdout } = await python(['-c', `${script}${show}\n`], { MALARIA_API_KEY: setting.env.KEY! });
  expect(stdout).toBe("True 4 ['NG001001', 'NG001002', None] [True, True, False]\n");
});

testPython('example: a map', async () => {
  const out = path.join(temporary(), 'map.svg');
  expect((await example('national_map', out)).stdout).toMatch(/^4 areas, 2021-12, tiny-/);
  expect(readFileSync(out, 'utf8')).toContain('<svg');
});

testPython('example: an alert distinguishes a revision from news', async () => {
  const file = path.join(temporary(), 'last.csv');
  expect((await example('alert', file)).stderr).toMatch(/^\d areas rose, tiny-/);
  expect((await example('alert', file)).stdout).not.toMatch(/news|revision|first run/);
  const script = `
import runpy, pandas
alert = runpy.run_path(${JSON.stringify(path.join(shipped, 'python/examples/alert.py'))})
table = lambda **levels: pandas.DataFrame([dict(lga_code=code, lga=code, state_code="NA", period=period, level=level)
    for code, months in levels.items() for period, level in months.items()])
before = table(news={"2022-01": "low"}, revised={"2022-01": "high"}, both={"2022-01": "low"})
now = table(news={"2022-01": "low", "2023-01": "high"}, revised={"2022-01": "low", "2023-01": "high"}, same={"2022-01": "low", "2023-01": "low"},
    both={"2022-01": "very_low", "2023-01": "high"})
causes = lambda *args: alert["rises"](*args)["cause"].to_dict()
print(causes(now, before))
print(causes(now, None))
print(causes(now, now))
flat = table(news={"2022-01": "low", "2023-01": "low"})
print(causes(table(news={"2022-01": "low", "2023-01": "high"}), flat))
`;
  expect((await python(['-c', script])).stdout.trim().split('\n')).toEqual([
    "{'both': 'news', 'news': 'news', 'revised': 'revision'}",
    "{'both': 'first run', 'news': 'first run', 'revised': 'first run'}",
    "{'both': 'known', 'news': 'known', 'revised': 'known'}",
    "{'news': 'revision'}",
  ]);
});
