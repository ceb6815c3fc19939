/** Forecasts from rolling origins, each using only the data known at the origin, scored against known targets. */
import { HORIZONS, monthFromIndex, type Period } from '../../contract/months.ts';
import { logCases } from '../../lib/numerics/log-cases.ts';
import { caseModel } from '../../model/forecast/case-model.ts';
import { covers, crps, percentIndex } from '../../model/forecast/forecast-scores.ts';
import type { AreaLevel } from '../../model/forecast/forecast-tables.ts';
import { forecasters } from '../../model/forecast/forecasters.ts';
import { type Panel, panelUpTo } from '../../model/forecast/panel.ts';
import { createPanelForecasters } from '../../model/forecast/part-sums.ts';
import type { Forecaster } from '../../model/forecast/past-errors.ts';
import { type RecalibratedForecaster, recalibrate } from '../../model/forecast/recalibration.ts';

export interface ScoredForecast {
  area_level: AreaLevel;
  area_code: string;
  origin: Period;
  horizon: number;
  target: Period;
  /** Cases, as are the quantiles. */
  observed: number;
  method: string;
  q05: number;
  q25: number;
  q50: number;
  q75: number;
  q95: number;
  /** CRPS of ln cases, in which 0 counts as half a case. */
  crps_log: number;
  /** CRPS of ln(1 + cases). */
  crps_log1p: number;
  /** |ln median − ln observed|, in which 0 counts as half a case. */
  log_error: number;
  covered_50: boolean;
  covered_90: boolean;
  /** CRPS of cases per 1,000 people; null if the population is unknown. */
  crps_per_1000: number | null;
}

/** First and last origin to be scored. */
export interface OriginSpan {
  first: Period;
  last: Period;
}

/** Numbers of scored origins: three to six years, since older forecasts say little about today's. */
const SCORED_ORIGINS = { least: 36, most: 72 };
/** Number of forecasts at a horizon that is enough; with many areas, three years of origins reach it. */
const ENOUGH_FORECASTS = 2000;
const maxScoredOrigins = ({ areas }: Panel) =>
  Math.min(SCORED_ORIGINS.most, Math.max(SCORED_ORIGINS.least, Math.ceil(ENOUGH_FORECASTS / areas.length)));

/** Origins of a panel up to the last one requested; `month` counts from the panel's first. */
export function panelOrigins(panel: Panel, span: OriginSpan | null): { month: number; is_scored: boolean }[] {
  const shift = Math.max(0, panel.months - 1 - panel.origins.first_scored - maxScoredOrigins(panel));
  const [firstTried, firstScored] = [panel.origins.first_forecast, panel.origins.first_scored].map(
    (month) => month + shift,
  ) as [number, number];
  const isScored = (month: number) => {
    const period = monthFromIndex(panel.first + month);
    return month >= firstScored && (span === null || (span.first <= period && period <= span.last));
  };
  const first = Math.max(0, firstTried);
  const months = Array.from({ length: Math.max(0, panel.months - 1 - first) }, (_, i) => first + i);
  const last = months.findLastIndex(isScored);
  return months.slice(0, last + 1).map((month) => ({ month, is_scored: isScored(month) }));
}

/** Draws from which the sums of LGAs are made, at each origin. */
const DRAWS = 100;

/**
 * All forecasts of the panels whose targets are known: by the simple methods, by the case model and, for states, as
 * sums of their LGAs.
 * @returns by panel; also the forecasters other than the simple methods, which know their past errors
 */
export function backtestPanels(
  panels: readonly Panel[],
  span: OriginSpan | null,
  onProgress: (share: number, what: string) => void,
): { panel: Panel; rows: ScoredForecast[]; models: RecalibratedForecaster[] }[] {
  const areaOrigins = panels.reduce((sum, panel) => sum + panelOrigins(panel, span).length * panel.areas.length, 0);
  const panelForecasters = createPanelForecasters(DRAWS);
  let doneAreaOrigins = 0;
  return panels.map((panel) => {
    const { areas, level } = panel;
    const onShare = (share: number) => onProgress((doneAreaOrigins + share * areas.length) / areaOrigins, level);
    const models = panelForecasters(level, caseModel(HORIZONS, null, onShare)).map((model) => recalibrate(model));
    const rows = backtest(panel, forecasters(models), span, (origin) => {
      doneAreaOrigins += areas.length;
      onProgress(doneAreaOrigins / areaOrigins, `${level} ${origin}`);
    });
    return { panel, rows, models };
  });
}

/**
 * All forecasts of the methods for the panel whose targets are known.
 * @param onOrigin called after each origin
 */
export function backtest(
  panel: Panel,
  methods: readonly Forecaster[],
  span: OriginSpan | null,
  onOrigin: (origin: Period) => void = () => {},
): ScoredForecast[] {
  const rows: ScoredForecast[] = [];
  for (const { month, is_scored } of panelOrigins(panel, span)) {
    const seenPanel = panelUpTo(panel, month);
    for (const method of methods) {
      const forecast = method.forecast(seenPanel, is_scored);
      if (!is_scored) continue;
      for (const [areaIndex, area] of panel.areas.entries())
        for (const [horizonIndex, horizon] of HORIZONS.entries()) {
          const quantiles = forecast[areaIndex]![horizonIndex]!;
          const observed = area.cases[month + horizon] ?? Number.NaN;
          if (quantiles === null || Number.isNaN(observed)) continue;
          const when = {
            origin: monthFromIndex(panel.first + month),
            horizon,
            target: monthFromIndex(panel.first + month + horizon),
          };
          rows.push({
            area_level: panel.level,
            area_code: area.code,
            ...when,
            method: method.name,
            ...scoreForecast(quantiles, observed, area.people),
          });
        }
    }
    onOrigin(monthFromIndex(panel.first + month));
  }
  return rows;
}

function scoreForecast(quantiles: Float64Array, observed: number, people: number | null) {
  const casesAt = (percent: number) => quantiles[percentIndex(percent)]!;
  return {
    observed,
    q05: casesAt(5),
    q25: casesAt(25),
    q50: casesAt(50),
    q75: casesAt(75),
    q95: casesAt(95),
    crps_log: crps(quantiles, observed, logCases),
    crps_log1p: crps(quantiles, observed, Math.log1p),
    log_error: Math.abs(logCases(casesAt(50)) - logCases(observed)),
    covered_50: covers(quantiles, observed, 25, 75),
    covered_90: covers(quantiles, observed, 5, 95),
    crps_per_1000: people === null ? null : crps(quantiles, observed, (value) => (value / people) * 1000),
  };
}
