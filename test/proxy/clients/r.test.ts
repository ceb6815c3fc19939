/** The R client and its examples against running proxies. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { temporary } from '../../support/command-line.ts';
import { atEndOfSuite } from '../../support/proxy/service.ts';
import { type Setting, startSetting, writeClients } from './setting.ts';

const run = promisify(execFile);
const HAS_R = spawnSync('Rscript', ['-e', 'library(curl); library(jsonlite)']).status === 0;
const testR = (title: string, work: () => Promise<void>) =>
  test.skipIf(!HAS_R)(
    title + (HAS_R ? '' : ' (skipped: apt-get install r-base-core r-cran-curl r-cran-jsonlite)'),
    work,
  );

let setting: Setting;
let shipped = '';
let library = '';
const atEnd = atEndOfSuite();
beforeAll(async () => {
  if (!HAS_R) return;
  shipped = path.join(writeClients(), 'r');
  library = temporary();
  await run('R', ['CMD', 'INSTALL', '-l', library, shipped]);
  setting = await startSetting(inject('builtTiny'), atEnd);
});

/** Runs R in the C locale, in which it does not recognise letters with accents. */
const r = (script: string, args: string[] = [], more: Record<string, string> = {}) => {
  const { PATH = '', HOME = '' } = process.env;
  const own = { PATH, HOME, R_LIBS: library, LC_ALL: 'C' };
  return run('Rscript', [script, ...args], { env: { ...own, ...more }, timeout: 100_000 });
};
const example = async (name: string, ...args: string[]) => {
  const script = path.join(shipped, 'examples', `${name}.R`);
  return (await r(script, [setting.env.URL!, ...args], { MALARIA_API_KEY: setting.env.KEY! })).stdout;
};

testR('the checks in checks.R pass', async () => {
  const output = await r(path.join(import.meta.dirname, 'checks.R'), [], setting.env).catch((error) => error);
  expect(output.stdout, output.stderr).toMatch(/\d checks hold\n$/);
  const { seen } = setting;
  // No request is repeated if the wait is longer than allowed; waits of zero seconds do not cause a storm of requests.
  for (const fault of ['limited-long', 'overflow', 'negative', 'spent-short', 'moved'])
    expect(seen[fault]).toHaveLength(1);
  expect(seen.zeros).toHaveLength(3);
  expect(seen.pass!.map((headers) => 'if-none-match' in headers)).toEqual([false, true]);
  expect(seen.pass![0]).toMatchObject({ 'user-agent': expect.stringMatching(/^malaria-risk-r\/\d/) });
});

testR('example: a map', async () => {
  const out = path.join(temporary(), 'map.pdf');
  expect(await example('national_map', out)).toMatch(/^4 areas, 2021-12, .*, 2 requests/m);
  expect(readFileSync(out).subarray(0, 4).toString()).toBe('%PDF');
});

testR('example: an alert distinguishes a revision from news', async () => {
  const folder = temporary();
  expect(await example('alert', folder)).toMatch(/^\d areas rose, tiny-.*, 1 requests\n$/m);
  expect(await example('alert', folder)).not.toMatch(/news|revision|first run/);
  const script = path.join(folder, 'try.R');
  writeFileSync(
    script,
    `source(${JSON.stringify(path.join(shipped, 'examples/alert.R'))})
table <- function(period, ...) { levels <- c(...); data.frame(lga_code = names(levels), lga = "x", state_code = "NA", period = period, level = levels) }
before <- table("2022-01", news = "low", revised = "high", both = "low")
then <- table("2022-01", news = "low", revised = "low", both = "very_low", same = "low")
now <- rbind(then, table("2023-01", news = "high", revised = "high", both = "high", same = "low"))
flat <- then; flat$period <- "2023-01"
for (last in list(before, now, rbind(then, flat))) cat(rises(now, "v2", last, "v1")$cause, "\\n")
cat(rises(now, "v1")$cause, "\\n")
`,
  );
  expect((await r(script)).stdout).toBe(
    'news revision news \nknown known known \nrevision revision revision \nfirst run first run first run \n',
  );
});

testR('example: a join by name and by code reports what did not match', async () => {
  const folder = temporary();
  const [own, out] = [path.join(folder, 'own.csv'), path.join(folder, 'out.csv')];
  writeFileSync(own, 'state,lga,beds\nAbia,place 1,10\nAB,Place 2,20\nAdamawa,Place 1,30\n');
  const byName = await example('join', own, out);
  expect(byName).toContain('2 rows joined');
  expect(byName).toContain("1 rows matched no area\n  no areas of AD are named 'Place 1'\n");
  expect(byName).toContain('2 areas without a row');
  writeFileSync(own, 'lga_code,beds\nNG001001,10\n');
  expect(await example('join', own, out)).toContain('0 rows matched no area\n0 rows share');
  expect(readFileSync(out, 'utf8')).toMatch(/^"lga_code","beds".*\n"NG001001",10,/);
});
