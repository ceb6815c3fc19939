import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withTinyCache } from '../../../../support/built-tiny.ts';
import { temporary } from '../../../../support/command-line.ts';
import { runHere } from '../../../../support/run-here.ts';
import { LGAS, writeTiny } from '../../../../support/tiny-country.ts';

const build = withTinyCache(['ingest', 'boundaries', 'zonal', 'context', 'season']);
const folder = temporary();
const folds = path.join(folder, 'folds.csv');
writeFileSync(folds, `${['lga_pcode,fold', ...LGAS.map((code, i) => `${code},${i % 2}`)].join('\n')}\n`);
const country = writeTiny().directory;
const evaluate = (...args: string[]) =>
  runHere(['evaluate', 'risk', '--country', country, '--build', build, '--folds', folds, ...args]);

test('held-out cells are written as a table, and summarised by model and round in a table or as JSON', async () => {
  const file = path.join(folder, 'scores.csv');
  const json = await evaluate('--out', file, '--json');
  expect(json.code).toBe(0);
  const [header, ...rows] = readFileSync(file, 'utf8').trim().split('\n');
  expect(header).toBe('cell_id,model,examined,observed,mean,q025,q05,q25,q50,q75,q95,q975,log_score,crps');
  const summary = JSON.parse(json.stdout);
  const all = summary.filter((row: { survey_year: number | null }) => row.survey_year === null);
  expect(all.map(({ model }: { model: string }) => model)).toEqual(['spatial', 'baseline', 'national']);
  // The national mean is a yardstick only, and not written to the file.
  expect(rows).toHaveLength(2 * all[0].cells);
  // Progress is one JSON object a line, the evaluation's own folds included.
  const events = json.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.filter(({ type, stage }) => type === 'progress' && stage === 'folds').map(({ what }) => what)).toEqual([
    'fold 0',
    'fold 1',
  ]);
  const table = await evaluate('--out', file);
  expect(table.stdout).toMatch(/^round +model +cells +log_score/);
  expect(table.stdout).toMatch(
    new RegExp(`^all +spatial +${all[0].cells} +${all[0].log_score.mean.toFixed(3)} ± `, 'm'),
  );
  expect(table.stdout).toContain(`${file}: ${rows.length} rows`);
});

test('a file for the scores is required', async () => {
  expect(await evaluate()).toMatchObject({ code: 2, stderr: expect.stringContaining('--out') });
});
