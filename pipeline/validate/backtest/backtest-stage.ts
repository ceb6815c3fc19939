import type { StageRun } from '../../catalog/country-stage.ts';
import { HORIZONS } from '../../contract/months.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { type TableRow, toTable } from '../../lib/tables/table.ts';
import { caseModel } from '../../model/forecast/case-model.ts';
import { forecasters } from '../../model/forecast/forecasters.ts';
import { readPanels } from '../../model/forecast/read-panels.ts';
import { recalibrate } from '../../model/forecast/recalibration.ts';
import { backtest, backtestProgress, type ScoredForecast } from './backtest.ts';
import { summariseForecasts } from './backtest-summary.ts';
import { PAST, SKILL, STRETCH } from './backtest-tables.ts';

/** Scored forecasts of the case records from rolling origins; no other answer depends on them. */
export const run: StageRun = async (io) => {
  const panels = readPanels(io);
  const panelProgress = backtestProgress(panels, null, io.progress);
  const results = panels.map((panel) => {
    const { onOrigin, onShare } = panelProgress(panel);
    const model = recalibrate(caseModel(HORIZONS, null, onShare));
    const rows = backtest(panel, forecasters(model), null, onOrigin);
    return { level: panel.level, rows, stretches: model.stretches(panel) };
  });
  const skill = summariseForecasts(results.flatMap(({ rows }) => rows)).map(({ horizon, ...row }) => ({
    ...row,
    horizon_months: horizon === 'all' ? null : horizon,
  }));
  const stretch = results.flatMap(({ level, stretches }) =>
    level === 'long' ? [] : stretches.map((factors, h) => ({ area: level, horizon_months: HORIZONS[h]!, ...factors })),
  );
  const past = pastForecasts(results.flatMap(({ level, rows }) => (level === 'state' ? rows : [])));
  return {
    skill: toTable(SKILL, skill),
    stretch: toTable(STRETCH, stretch),
    past: toTable(PAST, past),
    report: [],
  };
};

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
