import { HORIZONS } from '../../contract/months.ts';
import { quantile } from '../../lib/numerics/quantiles.ts';
import type { PointMethod } from './baselines.ts';
import { SHARES } from './forecast-scores.ts';
import type { Panel } from './panel.ts';

/**
 * A forecast from one origin: 99 quantiles of cases, whole numbers of 0 or more, by area and horizon; null if no
 * forecast is possible.
 */
export type Forecast = (Float64Array | null)[][];

/** A forecasting method. It is called for the origins in order, so that it can learn from its errors. */
export interface Forecaster {
  name: string;
  /** @param seen the panel up to the origin, its last month */
  forecast(seen: Panel): Forecast;
}

/** Cases, whole numbers of 0 or more, from ln(1 + cases). */
export const casesFromLog = (log: number): number => Math.max(0, Math.round(Math.expm1(log)));

/**
 * A point method with the distribution of its past errors at that horizon, pooled over all areas with known
 * targets. The point forecast remains the median: quantiles that would be on the wrong side of it are set to it.
 */
export function withPastErrors({ name, points }: PointMethod): Forecaster {
  /** By horizon: forecasts whose targets were unknown at the last origin, and the errors of all others. */
  const records = HORIZONS.map(() => ({ open: [] as { target: number; points: number[] }[], errors: [] as number[] }));
  return {
    name,
    forecast(seen) {
      const pointForecasts = points(seen);
      const spreads = HORIZONS.map((horizon, h) => {
        const record = records[h]!;
        const { verified = [], open = [] } = Object.groupBy(record.open, ({ target }) =>
          target < seen.months ? 'verified' : 'open',
        );
        for (const { target, points } of verified)
          for (const [a, point] of points.entries()) {
            const error = Math.log1p(seen.areas[a]!.cases[target]!) - point;
            if (!Number.isNaN(error)) record.errors.push(error);
          }
        open.push({ target: seen.months - 1 + horizon, points: pointForecasts.map((point) => point[h]!) });
        record.open = open;
        const sorted = Float64Array.from(record.errors).sort();
        if (sorted.length === 0) return null;
        return Float64Array.from(SHARES, (share) => keepSide(share, quantile(sorted, share)));
      });
      return pointForecasts.map((point) =>
        spreads.map((spread, h) =>
          spread === null || Number.isNaN(point[h]!) ? null : spread.map((error) => casesFromLog(point[h]! + error)),
        ),
      );
    },
  };
}

const keepSide = (share: number, error: number) =>
  Math.abs(share - 0.5) < 1e-9 ? 0 : share < 0.5 ? Math.min(error, 0) : Math.max(error, 0);
