import type { StageRun } from '../../catalog/country-stage.ts';
import { HORIZONS } from '../../contract/months.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { type TableRow, toTable } from '../../lib/tables/table.ts';
import { forecastBasis, SUM_OF_PARTS } from '../../model/forecast/part-sums.ts';
import { readPanels } from '../../model/forecast/read-panels.ts';
import { backtestPanels, type ScoredForecast } from './backtest.ts';
import { summariseForecasts } from './backtest-summary.ts';
import { PAST, SKILL, STRETCH } from './backtest-tables.ts';

/** Scored forecasts of the case records from rolling origins; no other answer depends on them. */
export const run: StageRun = async (io) => {
  const results = backtestPanels(readPanels(io), null, io.progress).map(({ panel, rows, models }) => {
    const betterBasis = models.length > 1 && isSumBetter(rows) ? SUM_OF_PARTS : 'record';
    const stretch = models.flatMap((model) => {
      const basis = forecastBasis(model);
      return model.stretches(panel).map((factors, h) => ({
        basis,
        is_better: basis === betterBasis,
        horizon_months: HORIZONS[h]!,
        ...factors,
      }));
    });
    return { level: panel.level, rows, stretch };
  });
  const rows = results.flatMap((result) => result.rows);
  const skill = summariseForecasts(rows).map(({ horizon, ...row }) => ({
    ...row,
    horizon_months: horizon === 'all' ? null : horizon,
  }));
  const stretch = results.flatMap(({ level, stretch: factors }) =>
    level === 'long' ? [] : factors.map((row) => ({ area: level, ...row })),
  );
  const past = pastForecasts(rows.filter(({ area_level }) => area_level === 'state'));
  return {
    skill: toTable(SKILL, skill),
    stretch: toTable(STRETCH, stretch),
    past: toTable(PAST, past),
    report: [],
  };
};

/**
 * Whether sums of LGAs score better than the records of the same states. Without a forecast of both, they are taken.
 */
export function isSumBetter(rows: readonly ScoredForecast[]): boolean {
  const key = ({ area_code, origin, horizon }: ScoredForecast) => `${area_code} ${origin} ${horizon}`;
  const sumScores = new Map(
    rows.filter(({ method }) => method === SUM_OF_PARTS).map((row) => [key(row), row.crps_log1p]),
  );
  const differences = rows
    .filter((row) => row.method === 'case_model' && sumScores.has(key(row)))
    .map((row) => sumScores.get(key(row))! - row.crps_log1p);
  return differences.length === 0 || mean(differences) < 0;
}

/** Horizons drawn in the report: the shortest and the longest. */
const DRAWN_HORIZONS: ReadonlySet<number> = new Set([HORIZONS[0]!, HORIZONS.at(-1)!]);

/**
 * The case model's forecasts of states relative to the mean observed value, which does not reveal any counts. A state
 * without a case in all these months has none.
 */
export function pastForecasts(rows: readonly ScoredForecast[]): TableRow<typeof PAST>[] {
  const drawn = rows.filter(({ method, horizon }) => method === 'case_model' && DRAWN_HORIZONS.has(horizon));
  return [...Map.groupBy(drawn, ({ area_code }) => area_code)].flatMap(([state_code, stateForecasts]) => {
    const meanObserved = mean(stateForecasts.map(({ observed }) => observed));
    if (meanObserved === 0) return [];
    const relativeToMean = (cases: number) => Number((cases / meanObserved).toFixed(4));
    return stateForecasts.map(({ horizon, target, observed, q05, q50, q95 }) => ({
      state_code,
      horizon_months: horizon,
      period: target,
      observed: relativeToMean(observed),
      q05: relativeToMean(q05),
      q50: relativeToMean(q50),
      q95: relativeToMean(q95),
    }));
  });
}
