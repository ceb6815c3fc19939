import type { StageRun } from '../../catalog/country-stage.ts';
import { HORIZONS } from '../../contract/months.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { type TableRow, toTable } from '../../lib/tables/table.ts';
import { caseModel } from '../../model/forecast/case-model.ts';
import { forecasters } from '../../model/forecast/forecasters.ts';
import { SUM_OF_PARTS, sumParts } from '../../model/forecast/part-sums.ts';
import { readPanels } from '../../model/forecast/read-panels.ts';
import { type RecalibratedForecaster, recalibrate, type Stretch } from '../../model/forecast/recalibration.ts';
import { backtest, backtestProgress, type ScoredForecast } from './backtest.ts';
import { summariseForecasts } from './backtest-summary.ts';
import { PAST, SKILL, STRETCH } from './backtest-tables.ts';

/** Draws from which the sums of LGAs are made, at each origin. */
const DRAWS = 100;

/** Scored forecasts of the case records from rolling origins; no other answer depends on them. */
export const run: StageRun = async (io) => {
  const panels = readPanels(io);
  const panelProgress = backtestProgress(panels, null, io.progress);
  const rows: ScoredForecast[] = [];
  const stretch: TableRow<typeof STRETCH>[] = [];
  let sums: RecalibratedForecaster | null = null;
  for (const panel of panels) {
    const { level } = panel;
    const { onOrigin, onShare } = panelProgress(panel);
    const model = caseModel(HORIZONS, null, onShare);
    const parts = level === 'lga' ? sumParts(model, DRAWS) : null;
    const record = recalibrate(parts?.lgas ?? model);
    const levelSums = level === 'state' ? sums : null;
    sums = parts && recalibrate(parts.states);
    const panelRows = backtest(panel, [...forecasters(record), ...(levelSums ? [levelSums] : [])], null, onOrigin);
    rows.push(...panelRows);
    if (level === 'long') continue;
    const isSumChosen = levelSums !== null && isSumBetter(panelRows);
    const addStretches = (basis: TableRow<typeof STRETCH>['basis'], stretches: readonly Stretch[]) => {
      for (const [h, { inner, outer }] of stretches.entries())
        stretch.push({
          area: level,
          basis,
          is_better: isSumChosen === (basis === 'sum_of_parts'),
          horizon_months: HORIZONS[h]!,
          inner,
          outer,
        });
    };
    addStretches('record', record.stretches(panel));
    if (levelSums) addStretches('sum_of_parts', levelSums.stretches(panel));
  }
  const skill = summariseForecasts(rows).map(({ horizon, ...row }) => ({
    ...row,
    horizon_months: horizon === 'all' ? null : horizon,
  }));
  const past = pastForecasts(rows.filter(({ area_level }) => area_level === 'state'));
  return {
    skill: toTable(SKILL, skill),
    stretch: toTable(STRETCH, stretch),
    past: toTable(PAST, past),
    report: [],
  };
};

/** Whether sums of LGAs score better than the records of the same states. Without a forecast of both, they are taken. */
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
