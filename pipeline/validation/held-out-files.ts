import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { BadInput } from '../bad-input.ts';
import type { HeldOut } from './cross-validation.ts';

const COLUMNS = [
  'cell_id',
  'model',
  'examined',
  'observed',
  'mean',
  'q025',
  'q05',
  'q25',
  'q50',
  'q75',
  'q95',
  'q975',
  'log_score',
  'crps',
] as const satisfies (keyof HeldOut)[];

/**
 * Folds by LGA from a CSV with the columns lga_pcode and fold, in any order, further ones ignored.
 * @throws BadInput naming the file and line for a missing column, a repeated LGA or a fold that is no whole number
 */
export function readFolds(path: string): Map<string, number> {
  const [head, ...lines] = readFileSync(path, 'utf8').trimEnd().split(/\r?\n/);
  const columns = (head ?? '').replace(/^\uFEFF/, '').split(',');
  const [code, fold] = [columns.indexOf('lga_pcode'), columns.indexOf('fold')];
  if (code < 0 || fold < 0) throw new BadInput(path, 'header', head ?? '', 'columns lga_pcode and fold');
  const folds = new Map<string, number>();
  lines.forEach((line, k) => {
    const fields = line.split(',');
    const name = fields[code] ?? '';
    const number = Number(fields[fold] || Number.NaN);
    if (!name || !Number.isInteger(number)) throw new BadInput(path, `line ${k + 2}`, line, 'an LGA and a whole fold');
    if (folds.has(name)) throw new BadInput(path, `line ${k + 2}`, `LGA ${name} a second time`, 'each LGA once');
    folds.set(name, number);
  });
  return folds;
}

/** One row per held-out cell and model. Written whole or not at all. */
export function writeScores(path: string, rows: HeldOut[]): void {
  const lines = rows.map((row) => COLUMNS.map((c) => row[c]).join(','));
  writeFileSync(`${path}.part`, `${[COLUMNS.join(','), ...lines].join('\n')}\n`);
  renameSync(`${path}.part`, path);
}

/** One row per held-out cell, model and draw, as Parquet: cell_id, model, draw (from 1), prevalence, rho. */
export async function writeDraws(path: string, rows: HeldOut[]): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(
      'CREATE TABLE draws (cell_id VARCHAR, model VARCHAR, draw INTEGER, prevalence DOUBLE, rho DOUBLE)',
    );
    const appender = await connection.createAppender('draws');
    for (const { cell_id, model, draws } of rows)
      for (let d = 0; d < draws.prevalence.length; d++) {
        appender.appendVarchar(cell_id);
        appender.appendVarchar(model);
        appender.appendInteger(d + 1);
        appender.appendDouble(draws.prevalence[d]!);
        appender.appendDouble(draws.rho[d]!);
        appender.endRow();
      }
    appender.closeSync();
    await connection.run(`COPY draws TO '${`${path}.part`.replaceAll("'", "''")}' (FORMAT parquet)`);
    renameSync(`${path}.part`, path);
  } finally {
    rmSync(`${path}.part`, { force: true });
    connection.closeSync();
    instance.closeSync();
  }
}
