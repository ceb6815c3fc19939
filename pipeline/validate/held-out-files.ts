import path from 'node:path';
import { readTable } from '../ingest/readers/raw-table.ts';
import { writeAtomic } from '../lib/atomic-write.ts';
import { writeCsv } from '../lib/tables/csv.ts';
import { sqlLiteral, withDatabase } from '../lib/tables/duckdb.ts';
import type { HeldOutCell } from './cross-validation.ts';

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
] as const satisfies (keyof HeldOutCell)[];

/**
 * Reads folds by LGA from a CSV with the columns lga_pcode and fold, in any order; other columns are ignored.
 * @throws BadInput naming the file and row if a column is missing, an LGA is repeated or a fold is not an integer
 */
export async function readFolds(file: string): Promise<Map<string, number>> {
  const columns = { lga_pcode: 'lga_pcode', fold: 'fold' };
  const table = await readTable(path.dirname(file), { files: [{ path: path.basename(file) }], columns });
  table.refuseDuplicates(['lga_pcode']);
  return new Map(table.rows.map((row) => [row.text('lga_pcode'), row.number('fold', { integer: true })]));
}

/** Writes one row per held-out cell and model; the file is written atomically. */
export function writeHeldOutScores(file: string, rows: HeldOutCell[]): Promise<void> {
  return writeCsv(file, rows, COLUMNS);
}

/** Writes one row per held-out cell, model and draw, as Parquet: cell_id, model, draw (from 1), prevalence, rho. */
export function writeHeldOutDraws(file: string, rows: HeldOutCell[]): Promise<void> {
  return writeAtomic(file, (temporary) =>
    withDatabase(async (db) => {
      await db.run('CREATE TABLE draws (cell_id VARCHAR, model VARCHAR, draw INTEGER, prevalence DOUBLE, rho DOUBLE)');
      const appender = await db.connection.createAppender('draws');
      for (const { cell_id, model, draws } of rows)
        for (let draw = 0; draw < draws.prevalence.length; draw++) {
          appender.appendVarchar(cell_id);
          appender.appendVarchar(model);
          appender.appendInteger(draw + 1);
          appender.appendDouble(draws.prevalence[draw]!);
          appender.appendDouble(draws.rho[draw]!);
          appender.endRow();
        }
      appender.closeSync();
      await db.run(`COPY draws TO ${sqlLiteral(temporary)} (FORMAT parquet)`);
    }),
  );
}
