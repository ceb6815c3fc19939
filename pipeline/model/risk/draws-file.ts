import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FLOAT, LIST, listValue } from '@duckdb/node-api';
import { calendarMonth, type Period } from '../../contract/months.ts';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { sqlLiteral, withDatabase } from '../../lib/tables/duckdb.ts';
import { drawPrevalence, type Paths } from './paths.ts';

export interface DrawsRequest {
  area: 'lga' | 'state';
  /** All areas of the kind in the model's order, and whether their draws are requested. */
  codes: readonly { code: string; isRequested: boolean }[];
  periods: ReadonlySet<Period>;
  /** The scores of the kind, by area and then by month. */
  scores: readonly { period: Period; score: number }[];
}

/** Largest difference, due to rounding of sums, between the mean of the draws and the score computed from them. */
const TOLERANCE = 1e-9;

/**
 * Writes draws as Parquet: code, period, draw (from 1), prevalence; by month, area and draw. In addition to the paths,
 * it keeps only the draws of one month of the year in memory.
 * @returns number of rows
 * @throws Error if the means of the draws are not the scores
 */
export async function writeDraws(file: string, paths: Paths, request: DrawsRequest): Promise<number> {
  const { area, codes, periods, scores } = request;
  const months = scores.slice(0, paths.months.length).map(({ period }) => period);
  const requestedAreas = [...codes.entries()].filter(([, { isRequested }]) => isRequested);
  const scratchDirectory = await mkdtemp(path.join(tmpdir(), 'malaria-draws-'));
  const partFile = (period: Period) => path.join(scratchDirectory, `${period}.parquet`);
  const writtenPeriods = months.filter((period) => periods.has(period));
  try {
    await writeAtomic(file, (temporary) =>
      withDatabase(async (db) => {
        for (const month of new Set(writtenPeriods.map(calendarMonth))) {
          const monthDraws = drawPrevalence(paths, month - 1);
          for (const [k, m] of monthDraws.months.entries()) {
            const period = months[m]!;
            if (!periods.has(period)) continue;
            const values = (area === 'lga' ? monthDraws.lgas : monthDraws.states)[k]!;
            await db.run('CREATE OR REPLACE TABLE drawn (code VARCHAR, draws FLOAT[])');
            const appender = await db.connection.createAppender('drawn');
            for (const [a, { code }] of requestedAreas) {
              const areaDraws = Array.from(values.subarray(a * paths.drawCount, (a + 1) * paths.drawCount));
              const mean = areaDraws.reduce((sum, value) => sum + value, 0) / areaDraws.length;
              const { score } = scores[a * months.length + m]!;
              if (Math.abs(mean - score) > TOLERANCE)
                throw new Error(`${code} ${period}: found draws with mean ${mean}, expected the score ${score}`);
              appender.appendVarchar(code);
              appender.appendList(listValue(areaDraws), LIST(FLOAT));
              appender.endRow();
            }
            appender.closeSync();
            await db.run(`COPY (
              SELECT code, ${sqlLiteral(period)} AS period, unnest(range(1, len(draws) + 1))::INTEGER AS draw, unnest(draws) AS prevalence
              FROM drawn) TO ${sqlLiteral(partFile(period))} (FORMAT parquet)`);
          }
        }
        const partFiles = writtenPeriods.map((period) => sqlLiteral(partFile(period)));
        await db.run(
          `COPY (FROM read_parquet([${partFiles}])) TO ${sqlLiteral(temporary)} (FORMAT parquet, COMPRESSION zstd)`,
        );
      }),
    );
  } finally {
    await rm(scratchDirectory, { recursive: true, force: true });
  }
  return writtenPeriods.length * requestedAreas.length * paths.drawCount;
}
