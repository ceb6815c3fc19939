import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HeldOutCell } from '../../../pipeline/validate/cross-validation.ts';
import { readFolds, writeHeldOutDraws, writeHeldOutScores } from '../../../pipeline/validate/held-out-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'folds-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const row: HeldOutCell = {
  cell_id: '2010-A-11',
  model: 'spatial',
  fold: 1,
  survey_year: 2010,
  state_code: 'AB',
  examined: 3,
  observed: 0.5,
  mean: 0.25,
  q025: 0,
  q05: 0,
  q25: 0,
  q50: 0.25,
  q75: 0.5,
  q95: 1,
  q975: 1,
  log_score: -1.5,
  crps: 0.125,
  pit: 0.7,
  draws: { prevalence: Float64Array.of(0.2, 0.3), rho: Float64Array.of(0.1, 0.15) },
};

test('folds are read by column name', async () => {
  const path = join(folder, 'folds.csv');
  writeFileSync(path, 'block,lga_pcode,fold\r\n39,NG001001,3\r\n54,NG008001,2\r\n');
  expect(await readFolds(path)).toEqual(
    new Map([
      ['NG001001', 3],
      ['NG008001', 2],
    ]),
  );
});

test('invalid folds are rejected with file and row', async () => {
  const path = join(folder, 'folds.csv');
  for (const [text, message] of [
    ['lga,fold\nA,1\n', 'folds.csv, header: found columns lga, fold, expected a column "lga_pcode"'],
    ['lga_pcode,fold\nA,1\nB,x\n', 'row 3, fold: found "x", expected a whole number'],
    ['lga_pcode,fold\nA,1\nA,2\n', 'row 3: found lga_pcode A, as in row 2'],
  ] as const) {
    writeFileSync(path, text);
    await expect(readFolds(path)).rejects.toThrow(message);
  }
});

test('scores have the documented columns in order', async () => {
  const path = join(folder, 'out.csv');
  await writeHeldOutScores(path, [row]);
  expect(readFileSync(path, 'utf8')).toBe(
    'cell_id,model,examined,observed,mean,q025,q05,q25,q50,q75,q95,q975,log_score,crps\n' +
      '2010-A-11,spatial,3,0.5,0.25,0,0,0,0.25,0.5,1,1,-1.5,0.125\n',
  );
});

test('draws are read back from Parquet unchanged, and no other file is left', async () => {
  const path = join(folder, "it's.parquet");
  await writeHeldOutDraws(path, [row]);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const read = await connection.runAndReadAll(`SELECT * FROM '${path.replaceAll("'", "''")}' ORDER BY draw`);
  expect(read.getRowObjects()).toEqual([
    { cell_id: '2010-A-11', model: 'spatial', draw: 1, prevalence: 0.2, rho: 0.1 },
    { cell_id: '2010-A-11', model: 'spatial', draw: 2, prevalence: 0.3, rho: 0.15 },
  ]);
  expect(readdirSync(folder)).toEqual(["it's.parquet"]);
});
