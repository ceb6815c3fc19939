import type { StageRun } from '../../catalog/country-stage.ts';
import { HORIZONS } from '../../contract/months.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { type TableRow, toTable } from '../../lib/tables/table.ts';
import { caseModel } from '../../model/forecast/case-model.ts';
import { forecasters } from '../../model/forecast/forecasters.ts';
import { readPanels } from '../../model/forecast/read-panels.ts';
import { recalibrate } from '../../model/forecast/recalibration.ts';
import { backtest, backtestProgress, type ScoredForecast } from './backtest.ts';
import { summarise } from './backtest-summary.ts';
import { PAST, SKILL, STRETCH } from './backtest-tables.ts';

/** Scored forecasts of the case records from rolling origins; no other answer depends on them. */
export const run: StageRun = async (io) => {
  const panels = readPanels(io);
  const originProgress = backtestProgress(panels, null, io.progress);
  const tested = panels.map((panel) => {
    const { onOrigin, within } = originProgress(panel);
    const model = recalibrate(caseModel(HORIZONS, null, within));
    const rows = backtest(panel, forecasters(model), null, onOrigin);
    return { level: panel.level, rows, stretches: model.stretches(panel) };
  });
  const skill = summarise(tested.flatMap(({ rows }) => rows)).map(({ horizon, ...row }) => ({
    ...row,
    horizon_months: horizon === 'all' ? null : horizon,
  }));
  const stretch = tested.flatMap(({ level, stretches }) =>
    level === 'long' ? [] : stretches.map((factors, h) => ({ area: level, horizon_months: HORIZONS[h]!, ...factors })),
  );
  const past = pastForecasts(tested.flatMap(({ level, rows }) => (level === 'state' ? rows : [])));
  return {
    skill: toTable(SKILL, skill),
    stretch: toTable(STRETCH, stretch),
    past: toTable(PAST, past),
    report: [],
  };
};

/** Horizons drawn in the report: the shortest and the longest. */
const DRAWN: ReadonlySet<number> = new Set([HORIZONS[0]!, HORIZONS.at(-1)!]);

/**
 * The case model's forecasts of states relative to the mean observed value, which does not reveal any counts. A state
 * without a case in all these months has none.
 */
export function pastForecasts(rows: readonly ScoredForecast[]): TableRow<typeof PAST>[] {
  const drawn = rows.filter(({ method, horizon }) => method === 'case_model' && DRAWN.has(horizon));
  return [...Map.groupBy(drawn, ({ area_code }) => area_code)].flatMap(([state_code, list]) => {
    const usual = mean(list.map(({ observed }) => observed));
    if (usual === 0) return [];
    const share = (cases: number) => Number((cases / usual).toFixed(4));
    return list.map(({ horizon, target, observed, q05, q50, q95 }) => ({
      state_code,
      horizon_months: horizon,
      period: target,
      observed: share(observed),
      q05: share(q05),
      q50: share(q50),
      q95: share(q95),
    }));
  });
}
