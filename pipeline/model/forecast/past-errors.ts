import { HORIZONS } from '../../contract/months.ts';
import { quantile } from '../../lib/numerics/quantiles.ts';
import type { PointMethod } from './baselines.ts';
import { QUANTILE_LEVELS } from './forecast-scores.ts';
import type { Panel } from './panel.ts';

/**
 * A forecast from one origin: 99 quantiles of cases, whole numbers of 0 or more, by area and horizon; null if no
 * forecast is possible.
 */
export type Forecast = (Float64Array | null)[][];

/** A forecasting method. It is called for the origins in order, so that it can learn from its errors. */
export interface Forecaster {
  name: string;
  /**
   * @param panel the panel up to the origin, its last month
   * @param isUsed whether the forecast is used, and not only its errors
   */
  forecast(panel: Panel, isUsed?: boolean): Forecast;
}

/** Cases, whole numbers of 0 or more, from ln(1 + cases). */
export const casesFromLog = (log: number): number => Math.max(0, Math.round(Math.expm1(log)));

/**
 * A point method with the distribution of its past errors at that horizon, pooled over all areas with known
 * targets. The point forecast remains the median: quantiles that would be on the wrong side of it are set to it.
 */
export function withPastErrors({ name, forecastPoints }: PointMethod): Forecaster {
  /** By horizon: forecasts whose targets were unknown at the last origin, and the errors of all others. */
  const errorRecords = HORIZONS.map(() => ({
    open: [] as { target: number; pointForecasts: number[] }[],
    errors: [] as number[],
  }));
  return {
    name,
    forecast(panel, isUsed = true) {
      const pointForecasts = forecastPoints(panel);
      const errorQuantiles = HORIZONS.map((horizon, horizonIndex) => {
        const errorRecord = errorRecords[horizonIndex]!;
        const { verified = [], open: unverified = [] } = Object.groupBy(errorRecord.open, ({ target }) =>
          target < panel.months ? 'verified' : 'open',
        );
        for (const { target, pointForecasts: forecasts } of verified)
          for (const [a, point] of forecasts.entries()) {
            const error = Math.log1p(panel.areas[a]!.cases[target]!) - point;
            if (!Number.isNaN(error)) errorRecord.errors.push(error);
          }
        unverified.push({
          target: panel.months - 1 + horizon,
          pointForecasts: pointForecasts.map((point) => point[horizonIndex]!),
        });
        errorRecord.open = unverified;
        if (!isUsed) return null;
        const sorted = Float64Array.from(errorRecord.errors).sort();
        if (sorted.length === 0) return null;
        return Float64Array.from(QUANTILE_LEVELS, (share) => keepMedianSide(share, quantile(sorted, share)));
      });
      return pointForecasts.map((point) =>
        errorQuantiles.map((quantiles, horizonIndex) =>
          quantiles === null || Number.isNaN(point[horizonIndex]!)
            ? null
            : quantiles.map((error) => casesFromLog(point[horizonIndex]! + error)),
        ),
      );
    },
  };
}

const keepMedianSide = (share: number, error: number) =>
  Math.abs(share - 0.5) < 1e-9 ? 0 : share < 0.5 ? Math.min(error, 0) : Math.max(error, 0);
