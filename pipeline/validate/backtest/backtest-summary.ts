import { mean } from '../../lib/numerics/averages.ts';
import type { ScoredForecast } from './backtest.ts';

/** Mean scores of some forecasts; `origins` is the year of their origins, or `all`. */
export type SummaryRow = Pick<ScoredForecast, 'area_level' | 'method'> &
  ReturnType<typeof meanScores> & { origins: string; horizon: number | 'all' };

/** Mean scores by level, year of the origin and over all years, method, and horizon and over all horizons. */
export function summariseForecasts(rows: readonly ScoredForecast[]): SummaryRow[] {
  const summary: SummaryRow[] = [];
  for (const [area_level, levelRows] of Map.groupBy(rows, (row) => row.area_level)) {
    const years = Map.groupBy(levelRows, (row) => row.origin.slice(0, 4));
    for (const [origins, originRows] of [['all', levelRows] as const, ...(years.size > 1 ? years : [])])
      for (const [method, methodRows] of Map.groupBy(originRows, (row) => row.method))
        for (const [horizon, horizonRows] of [
          ['all', methodRows] as const,
          ...Map.groupBy(methodRows, (row) => row.horizon),
        ])
          summary.push({ area_level, origins, method, horizon, ...meanScores(horizonRows) });
  }
  return summary;
}

function meanScores(rows: readonly ScoredForecast[]) {
  const four = (value: number) => Number(value.toFixed(4));
  const populationScores = rows.map((row) => row.crps_per_1000).filter((value) => value !== null);
  return {
    forecasts: rows.length,
    log_mae: four(mean(rows.map((row) => row.log_error))),
    crps_log: four(mean(rows.map((row) => row.crps_log))),
    crps_log1p: four(mean(rows.map((row) => row.crps_log1p))),
    coverage_50: four(mean(rows.map((row) => Number(row.covered_50)))),
    coverage_90: four(mean(rows.map((row) => Number(row.covered_90)))),
    crps_per_1000: populationScores.length > 0 ? four(mean(populationScores)) : null,
  };
}
