import { quantile } from '../../lib/numerics/quantiles.ts';
import type { PointMethod } from './baselines.ts';
import { SHARES } from './forecast-scores.ts';
import { HORIZONS } from './horizons.ts';
import type { Panel } from './panel.ts';

/** A forecast from one origin: 99 quantiles of ln cases by area and horizon; null if no forecast is possible. */
export type Forecast = (Float64Array | null)[][];

/** A forecasting method. It is called for the origins in order, so that it can learn from its own errors. */
export interface Forecaster {
  name: string;
  /** @param seen the panel as known at the origin, its last month */
  forecast(seen: Panel): Forecast;
}

/**
 * A point method with the distribution of its own past errors at that horizon, pooled over all areas with known
 * targets. The point forecast remains the median: quantiles that would be on the wrong side of it are set to it.
 */
export function withPastErrors({ name, points }: PointMethod): Forecaster {
  const past: { origin: number; points: number[][] }[] = [];
  return {
    name,
    forecast(seen) {
      const made = points(seen);
      past.push({ origin: seen.months - 1, points: made });
      const spreads = HORIZONS.map((horizon, h) => {
        const errors = past.flatMap(({ origin, points }) =>
          points.map((point, a) => (seen.areas[a]!.y[origin + horizon] ?? Number.NaN) - point[h]!),
        );
        const sorted = Float64Array.from(errors.filter((error) => !Number.isNaN(error))).sort();
        return sorted.length > 0 ? SHARES.map((share) => keepSide(share, quantile(sorted, share))) : null;
      });
      return made.map((point) =>
        spreads.map((spread, h) =>
          spread === null || Number.isNaN(point[h]!) ? null : Float64Array.from(spread, (error) => point[h]! + error),
        ),
      );
    },
  };
}

const keepSide = (share: number, error: number) =>
  Math.abs(share - 0.5) < 1e-9 ? 0 : share < 0.5 ? Math.min(error, 0) : Math.max(error, 0);
