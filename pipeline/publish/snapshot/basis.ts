/** The basis of the score of each area and month. */
import { monthIndex, type Period, periodRange } from '../../contract/months.ts';
import type { Coverage } from '../../contract/operations.ts';
import type { Database } from '../../lib/tables/duckdb.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import type { TABLES } from './table-columns.ts';

type BasisRow = TableRow<(typeof TABLES)['basis']>;
interface AreaPeriod {
  code: string;
  period: Period;
}

/** Survey months by state, and months of case records by area, in which a state includes its LGAs. */
const SURVEYS_SQL = `SELECT state_code AS code, period FROM ingest.clusters
  UNION SELECT state_code, period FROM ingest.area_rounds ORDER BY ALL`;
const RECORDS_SQL = `WITH known AS (FROM ingest.cases WHERE confirmed IS NOT NULL AND NOT masked)
  SELECT coalesce(lga_code, state_code) AS code, period FROM known
  UNION SELECT state_code, period FROM known ORDER BY ALL`;
const AREAS_SQL = `SELECT 'state' AS area, state_code AS code, state_code FROM ingest.states
  UNION ALL SELECT 'lga', lga_code, state_code FROM ingest.lgas ORDER BY area DESC, code`;

/** The table `basis` from the artifacts' views: for every area the estimated, then the forecast months. */
export async function basisTable(
  db: Database,
  { first_estimated, last_forecast }: Coverage,
  skill: readonly TableRow<(typeof TABLES)['forecast_skill']>[],
): Promise<BasisRow[]> {
  const [surveys, records] = await Promise.all(
    [SURVEYS_SQL, RECORDS_SQL].map(async (sql) => periodsByCode(await db.rows<AreaPeriod>(sql))),
  );
  const areas = await db.rows<{ area: BasisRow['area']; code: string; state_code: string }>(AREAS_SQL);
  const periods = periodRange(first_estimated, last_forecast);
  const logErrors = new Map(
    skill
      .filter(({ method, origins }) => method === 'case_model' && origins === 'all')
      .map(({ area_level, horizon_months, log_mae }) => [`${area_level} ${horizon_months}`, log_mae]),
  );
  return areas.flatMap(({ area, code, state_code }) => {
    const surveyPeriods = surveys!.get(state_code) ?? [];
    const lastSurveyEver = surveyPeriods.at(-1) ?? '';
    const casePeriods = records!.get(code) ?? [];
    return periods.map((period): BasisRow => {
      const last_survey = surveyPeriods.findLast((month) => month <= period) ?? null;
      const last_cases = casePeriods.findLast((month) => month <= period) ?? null;
      const monthsSince = (month: Period | null) => (month === null ? null : monthIndex(period) - monthIndex(month));
      return {
        area,
        code,
        period,
        basis: period <= lastSurveyEver ? 'survey' : 'usual_season',
        last_survey,
        months_since_survey: monthsSince(last_survey),
        last_cases,
        cases_log_mae: logErrors.get(`${area} ${monthsSince(last_cases)}`) ?? null,
      };
    });
  });
}

/** Months by code, ascending. */
const periodsByCode = (rows: readonly AreaPeriod[]) =>
  new Map(
    [...Map.groupBy(rows, ({ code }) => code)].map(([code, areaRows]) => [code, areaRows.map(({ period }) => period)]),
  );
