/** How good a version's forecasts of cases were in the months whose records have come in since. */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Period } from '../../contract/months.ts';
import { tableFile } from '../../contract/table-list.ts';
import { entryFolder } from '../../engine/cache.ts';
import { sqlLiteral, withDatabase } from '../../lib/tables/duckdb.ts';
import type { Snapshot } from './open-snapshot.ts';

export interface ForecastSkill {
  /** Numbers of areas and months. */
  forecasts: number;
  /** Share of records inside the 90% range. */
  coverage: number;
  /** Sum of medians ÷ sum of records − 1; null if nothing was recorded. */
  bias: number | null;
  /** Mean of |ln((median + 1) ÷ (record + 1))|, and the same of the mean of this month in earlier years. */
  log_error: number;
  log_error_usual: number | null;
}

export interface PastForecasts {
  periods: Period[];
  all: ForecastSkill;
  /** The areas that were forecast worst. */
  worst: (ForecastSkill & { area: string; code: string })[];
}

const WORST_AREAS = 10;
const SKILL_COLUMNS = `count(*) AS forecasts, count(*) FILTER (cases BETWEEN q05 AND q95) / count(*) AS coverage,
  sum(q50) / nullif(sum(cases), 0) - 1 AS bias, avg(abs(ln((q50 + 1) / (cases + 1)))) AS log_error,
  avg(abs(ln((usual + 1) / (cases + 1)))) AS log_error_usual`;

/**
 * Compares with the records that `after` was made from, which are not part of a snapshot but of the cache beside it.
 * @returns null if no forecast has met its month, or the records are no longer there
 */
export function scorePastForecasts(before: Snapshot, after: Snapshot): Promise<PastForecasts | null> {
  const { key = '' } = after.manifest.stages.find(({ stage }) => stage === 'ingest') ?? {};
  const cache = path.join(realpathSync(after.directory), '../../cache');
  const records = path.join(entryFolder(cache, 'ingest', key), 'cases.parquet');
  const forecasts = tableFile('forecasts_cases', 'parquet');
  return withDatabase(async (db) => {
    if (!existsSync(records) || !(forecasts in before.manifest.files)) return null;
    await db.run(
      `CREATE TABLE pairs AS
       WITH known AS (
         SELECT CASE WHEN lga_code IS NULL THEN 'state' ELSE 'lga' END AS area, coalesce(lga_code, state_code) AS code,
           period, confirmed AS cases
         FROM read_parquet(${sqlLiteral(records)}) WHERE confirmed IS NOT NULL AND NOT masked)
       SELECT area, code, period, q05, q50, q95, known.cases, avg(earlier.cases) AS usual
       FROM read_parquet(${sqlLiteral(path.join(before.directory, forecasts))}) JOIN known USING (area, code, period)
         LEFT JOIN known earlier ON earlier.area = known.area AND earlier.code = known.code
           AND right(earlier.period, 2) = right(known.period, 2) AND earlier.period < known.period
       WHERE basis = 'record' GROUP BY ALL ORDER BY ALL`,
    );
    const [all] = await db.rows<ForecastSkill>(`SELECT ${SKILL_COLUMNS} FROM pairs`);
    if (all!.forecasts === 0) return null;
    const periods = await db.rows<{ period: Period }>('SELECT DISTINCT period FROM pairs ORDER BY period');
    const worst = await db.rows<PastForecasts['worst'][number]>(
      `SELECT area, code, ${SKILL_COLUMNS} FROM pairs GROUP BY area, code ORDER BY log_error DESC, code LIMIT ${WORST_AREAS}`,
    );
    return { periods: periods.map(({ period }) => period), all: all!, worst };
  });
}
